"""TENSOR2TENSOR: what its programs are told, in a real job."""

from __future__ import annotations

import json
import re

from submitting import Gateway

TELL = """
import os, sys, time
print("told", os.environ["TF_CONFIG"], flush=True)
if os.environ["TF_ROLE"] == "ps":
    open(sys.argv[1], "x").close()
    time.sleep(600)
while not os.path.exists(sys.argv[1]):  # a ps ends with the last worker, wherever it is
    time.sleep(0.01)
"""


def test_workers_are_masters(gateway: Gateway) -> None:
    (gateway.work / "tell.py").write_text(TELL)
    ended = gateway.submit(
        *("--app-type", "tensor2tensor", "--ps-num", 1, "--worker-num", 2, "--files", "tell.py"),
        *("--", "python3", "tell.py", gateway.work / "ps-has-told"),
    )
    assert ended.code == 0, ended.err
    logs = gateway.verb("logs", ended.app_id).out
    told = [json.loads(text) for text in re.findall(r"told (\{.*\})", logs)]
    tasks = sorted((one["task"]["type"], one["task"]["index"]) for one in told)
    assert tasks == [("master", 0), ("master", 1), ("ps", 0)]
    assert {one["environment"] for one in told} == {"cloud"}
    assert len({json.dumps(one["cluster"]) for one in told}) == 1
    assert [len(told[0]["cluster"][role]) for role in ("master", "ps")] == [2, 1]
    gateway.nothing_is_left()
