"""GPUs with ``--local``: this machine's are dealt out, by their names alone."""

from __future__ import annotations

import json
import sys

from submitting import PROGRAMS, Gateway


def test_devices_are_dealt_out_and_hidden_from_others(gateway: Gateway) -> None:
    gateway.environment["CUDA_VISIBLE_DEVICES"] = "4,GPU-a,6"
    words = ("--app-type", "TENSORFLOW", "--worker-num", 2, "--ps-num", 1, "--files", PROGRAMS / "show.py")
    show = ("--", sys.executable, "show.py")
    ended = gateway.submit(
        *words, "--worker-gpus", 1, "--output", f"{gateway.work / 'out'}#output",
        *("--conf", "xlearning.createcontainerid.dir=true"), *show,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    seen = {}
    for path in (gateway.work / "out").rglob("show-*.json"):
        record = json.loads(path.read_text())
        seen[record["role"], record["index"]] = record["env"]["CUDA_VISIBLE_DEVICES"]
    assert sorted(seen.values()) == ["", "4", "GPU-a"]
    assert seen["ps", "0"] == ""
    refused = gateway.submit(*words, "--worker-gpus", 2, *show)
    assert "the job asks for 4 GPUs in all; CUDA_VISIBLE_DEVICES has 3" in refused.err
