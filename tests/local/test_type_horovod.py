"""Horovod with TensorFlow, built with gloo alone: it takes minutes to build, so it is for `make test-all`."""

from __future__ import annotations

import json
from pathlib import Path

import frameworks
import pytest
from submitting import Gateway

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "horovod"


@pytest.mark.large
def test_processes_of_two_workers_learn_the_same(gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--app-type", "horovod", "--worker-num", 2, "--conf", "xlearning.horovod.process.num.per.worker=2"),
        *("--board-enable", "false", "--files", EXAMPLE / "train.py", "--output", "out#model"),
        *(str(frameworks.python("horovod")), "train.py"),
    )
    assert ended.code == 0, ended.err
    paths = sorted(gateway.work.glob("out/*/*.json"), key=lambda path: path.name)
    seen = [json.loads(path.read_text()) for path in paths]
    assert [one["where"] for one in seen] == [
        [0, 4, 0, 2, 0, 2],
        [1, 4, 1, 2, 0, 2],
        [2, 4, 0, 2, 1, 2],
        [3, 4, 1, 2, 1, 2],
    ]
    assert all(one["weights"] == seen[0]["weights"] for one in seen)
    assert seen[0]["weights"] == pytest.approx([1, 2, 3], abs=0.01)
    gateway.nothing_is_left()
