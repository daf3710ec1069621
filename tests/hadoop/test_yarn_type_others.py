"""XFLOW and TENSOR2TENSOR on a real YARN side by side, and HOROVOD."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import frameworks
import pytest
from places import Place
from submitting import PROGRAMS
from yarn_gateway import YarnGateway

from xlearning.fs import FileSystems

HOROVOD = Path(__file__).resolve().parents[2] / "examples" / "horovod" / "train.py"
TELL = """
import os, socket, time
with socket.create_server(("", int(os.environ["LOCAL_ADDRESS"].rpartition(":")[2])), reuse_port=True):
    print("told", os.environ["TF_CONFIG"], flush=True)
    while os.environ["TF_ROLE"] == "ps": time.sleep(60)
"""


def test_xflow_and_tensor2tensor(hdfs_dir: str, gateway: YarnGateway) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))
    for name in ("a", "b"):
        place.write(f"in/{name}", b"1")
    (gateway.work / "tell.py").write_text(TELL)
    common = ("--board-enable", "false", "--worker-num", 2, "--ps-num", 1)
    xflow = gateway.start(
        *(*common, "--app-type", "XFLOW", "--files", PROGRAMS / "dmlc.py"),
        *("--input", f"{place.at('in')}#data", "--output", f"{place.at('out')}#output"),
        *("--", sys.executable, "dmlc.py"),
    )
    masters = gateway.start(
        *(
            *common,
            "--app-type",
            "TENSOR2TENSOR",
            "--files",
            "tell.py",
            "--logs",
            "--",
            sys.executable,
            "tell.py",
        )
    )
    ended, told = xflow.end(), masters.end()
    for one in (ended, told):
        assert one.code == 0, one.err
    found = [json.loads(place.read(f"out/{name}")) for name in place.tree("out") if name.endswith(".json")]
    assert len(found) == 2
    seen = [json.loads(text) for text in re.findall(r"told (\{.*\})", told.err)]
    assert {(one["task"]["type"], one["task"]["index"]) for one in seen} >= {("master", 0), ("master", 1)}
    assert [len(seen[0]["cluster"][role]) for role in ("master", "ps")] == [2, 1]
    for one in (ended, told):
        gateway.nothing_is_left_of(one.app_id)


@pytest.mark.large
def test_horovod(hdfs_dir: str, gateway: YarnGateway) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))
    ended = gateway.submit(
        *("--app-type", "HOROVOD", "--worker-num", 2, "--board-enable", "false", "--files", HOROVOD),
        *("--output", f"{place.at('out')}#model", "--", frameworks.python("horovod"), "train.py"),
    )
    assert ended.code == 0, ended.err
    parts = [json.loads(place.read(f"out/{name}")) for name in place.tree("out") if name.endswith(".json")]
    assert sorted(part["where"][:2] for part in parts) == [[0, 2], [1, 2]]
    assert parts[0]["weights"] == parts[1]["weights"] == pytest.approx([1, 2, 3], abs=0.01)
    gateway.nothing_is_left_of(ended.app_id)
