"""GPUs on a real YARN that knows ``yarn.io/gpu``; no device stands behind it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from yarn_gateway import YarnGateway

pytestmark = [pytest.mark.large, pytest.mark.usefixtures("hadoop_tools")]

_SHOW = """
echo "$TF_ROLE:$TF_INDEX CUDA=${CUDA_VISIBLE_DEVICES-unset}"
if [ $TF_ROLE = ps ]; then sleep 600; fi
while [ ! -e %s ]; do sleep 0.1; done
"""


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[YarnGateway]:
    with MiniHadoop(tmp_path / "hadoop", nodes=1, gpus=3) as hadoop:
        made = YarnGateway(tmp_path / "gateway", hadoop, f"{hadoop.hdfs_uri}/shared", dict(os.environ))
        yield made
        made.close()


def test_containers_get_what_their_role_asks_for(gateway: YarnGateway) -> None:
    words = ("--app-type", "TENSORFLOW", "--worker-num", 2, "--ps-num", 1)
    refused = gateway.submit(*words, "--worker-gpus", 2, "--", "true")
    assert "the job asks for 4 GPUs in all" in refused.err
    assert "can never have more than 3" in refused.err
    refused = gateway.submit(*words, "--ps-gpus", 4, "--", "true")
    assert "a ps container asks for 4 GPUs; the largest container of this cluster has 3" in refused.err
    go = gateway.work / "go"
    running = gateway.start(*words, "--worker-gpus", 1, "--logs", "--", "bash", "-c", _SHOW % go)
    app_id = gateway.submitted(running)
    running.said("worker:1 CUDA=")
    given = {one["name"]: one["value"] for one in infos(gateway.application(app_id))}
    assert given["yarn.io/gpu"] == 2
    go.touch()
    ended = running.end()
    assert ended.code == 0, ended.err
    assert "ps:0 CUDA=\n" in ended.err
    assert "worker:0 CUDA=unset\n" in ended.err
    gateway.nothing_is_left_of(app_id)


def infos(application: dict[str, object]) -> list[dict[str, object]]:
    """What an application has at the moment, resource by resource."""
    (request,) = application["resourceInfo"]["resourceUsagesByPartition"]  # type: ignore[index]
    return list(request["used"]["resourceInformations"]["resourceInformation"])
