"""An application type of the user's own, as the example has it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from submitting import Gateway

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ring_type"


def test_workers_in_a_ring(gateway: Gateway, tmp_path: Path) -> None:
    for name in ("ring_type.py", "sum.py"):
        shutil.copy(EXAMPLE / name, tmp_path)
    ended = gateway.submit(
        *("--app-type", "ring_type:Ring", "--worker-num", 3),
        *("--files", f"{tmp_path}/ring_type.py,{tmp_path}/sum.py"),
        *("--", "python3", "sum.py"),
    )
    assert ended.code == 0, ended.err
    logs = gateway.verb("logs", ended.app_id)
    assert logs.out.count("sum 14") == 3, logs.out
    gateway.nothing_is_left()


def test_what_the_type_refuses(gateway: Gateway) -> None:
    ended = gateway.submit(
        *(
            "--app-type",
            "ring_type:Ring",
            "--worker-num",
            2,
            "--files",
            EXAMPLE / "ring_type.py",
            "--",
            "true",
        )
    )
    assert ended.code == 1
    assert "2 workers make no ring" in ended.err


@pytest.mark.large  # the agents, which were told of no program, are given the time to end one
def test_a_type_that_fails_at_the_launch(gateway: Gateway) -> None:
    (gateway.work / "bad.py").write_text(
        "from xlearning.frameworks.base import Framework\n"
        "class Bad(Framework):\n"
        "    def setup(self, job, config, task, cluster): raise ValueError('no neighbour')\n"
    )
    ended = gateway.submit("--app-type", "bad:Bad", "--files", "bad.py", "--", "true")
    assert ended.code == 2
    assert "could not launch worker:0: application type bad:Bad: ValueError: no neighbour" in ended.err
    assert "(bad.py line 3, in setup)" in ended.err
    gateway.nothing_is_left()
