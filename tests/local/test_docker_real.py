"""Programs in containers of a real Docker, where this machine has one."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker_daemon import Docker, real_docker
from submitting import Gateway, wait_for

pytestmark = pytest.mark.large

_ODD = 'two words, a "quote"\nand a line'
_TRAIN = """
test -e /etc/of-the-image || exit 9
printf '%s\\0' "$PWD" "$HOME" "$ODD" "$#" "$1" "$2" "$(id -u):$(id -g)" > output/words
cat > output/stdin
cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max > output/memory 2> /dev/null
cat side > output/side
exit $CODE
"""
_HOLD = "a=$(printf '%*s' 150000000 x); touch started; while :; do sleep 0.1; done"


@pytest.fixture(scope="module")
def docker() -> Iterator[Docker]:
    with tempfile.TemporaryDirectory(prefix="real-docker-") as folder, real_docker(Path(folder)) as found:
        yield found


@pytest.fixture
def gateway(gateway: Gateway, docker: Docker) -> Gateway:
    gateway.properties |= {
        "xlearning.container.type": "docker",
        "xlearning.docker.command": str(docker.command),
        "xlearning.docker.image": docker.image,
        "xlearning.docker.pull": "false",
    }
    return gateway


def test_words_variables_data_and_limits_arrive(gateway: Gateway, docker: Docker) -> None:
    (gateway.work / "train.sh").write_text(_TRAIN)
    (gateway.work / "in put.txt").write_text("fed\n")
    (gateway.work / "side.txt").write_text("beside\n")
    words = (
        *("--worker-memory", 256, "--files", gateway.work / "train.sh", "--env", f"ODD={_ODD}"),
        *("--input", f"{gateway.work}/in put.txt#fed", "--input-strategy", "STREAM"),
        *("--cacheFile", f"{gateway.work}/side.txt#side"),
        *("--output", f"{gateway.work / 'out'}#output"),
    )
    ended = gateway.submit(*words, "--env", "CODE=0", "--", "bash", "train.sh", "a b", "$HOME")
    assert ended.code == 0, ended.err
    (folder,) = (path.parent for path in (gateway.work / "out").rglob("words"))
    ids = f"{os.getuid()}:{os.getgid()}"
    assert (folder / "words").read_text().split("\0")[:-1] == [
        *("/work", "/work", _ODD, "2", "a b", "$HOME", ids)
    ]
    assert (folder / "stdin").read_text() == "fed\n"
    assert (folder / "side").read_text() == "beside\n"
    assert (folder / "memory").read_text().split() == [str(256 << 20)]
    assert docker.of_application(ended.app_id) == []
    ended = gateway.submit(
        *words, "--output-existing", "overwrite", "--env", "CODE=7", "--", "bash", "train.sh"
    )
    assert "exit code 7" in ended.err
    gateway.nothing_is_left()


def test_what_docker_refuses_is_told_in_its_words(gateway: Gateway) -> None:
    ended = gateway.submit("--", "no-such-program")
    assert (ended.code, "hint: name a program that the image has" in ended.err) == (2, True), ended.err
    gateway.properties["xlearning.docker.pull"] = "true"
    ended = gateway.submit("--docker-image", "localhost:1/none:1", "--", "true")
    assert "docker pull localhost:1/none:1 failed: Error response from daemon: " in ended.err
    gateway.nothing_is_left()


def test_figures_are_the_programs_and_nothing_outlives_the_job(gateway: Gateway, docker: Docker) -> None:
    running = gateway.start("--", "bash", "-c", _HOLD)
    running.said("worker: 1 running")

    def memory() -> int:
        told = gateway.verb("describe", "last", "--local", "--output", "json")
        return int(json.loads(told.out)["containers"][0]["memory_bytes"] or 0)

    wait_for(lambda: memory() > 150_000_000)
    app_id = json.loads(gateway.verb("describe", "last", "--local", "--output", "json").out)["app_id"]
    assert len(docker.of_application(app_id)) == 1
    running.process.terminate()
    running.end()
    assert docker.of_application(app_id) == []
    gateway.nothing_is_left()
