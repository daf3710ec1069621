"""Programs in containers of a real Docker on the nodes of a real YARN, where this machine has one."""

from __future__ import annotations

import pytest
from docker_daemon import real_docker
from places import Place
from submitting import wait_for
from yarn_gateway import YarnGateway, settled

pytestmark = [pytest.mark.large, pytest.mark.hadoop]

_SCRIPT = """
test -e /etc/of-the-image || exit 9
echo "$TF_ROLE read $(cat data/*)"
while :; do sleep 0.1; done
"""


def test_no_container_outlives_an_application_that_is_killed_from_outside(
    gateway: YarnGateway, hdfs_dir: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """YARN has removed the folders of the application before its programs have ended."""
    place = Place(hdfs_dir, gateway.storage)
    place.write("in.txt", b"input")
    script = gateway.work / "train.sh"
    script.write_text(_SCRIPT)
    with real_docker(tmp_path_factory.mktemp("d")) as docker:
        gateway.properties |= {
            "xlearning.container.type": "docker",
            "xlearning.docker.command": str(docker.command),
            "xlearning.docker.image": docker.image,
            "xlearning.docker.pull": "false",
        }
        running = gateway.start(
            *("--app-type", "TENSORFLOW", "--ps-num", 1, "--input", f"{place.at('in.txt')}#data"),
            *("--files", script, "--logs", "--", "bash", "train.sh"),
        )
        app_id = gateway.submitted(running)
        running.said("worker read input")
        wait_for(lambda: len(docker.of_application(app_id)) == 2)
        gateway.kill_on_yarn(app_id)
        running.end()
        wait_for(lambda: not docker.of_application(app_id))
        settled(gateway, app_id)
