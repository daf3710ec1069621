"""DISTXGBOOST with the real XGBoost, in an environment of its own."""

from __future__ import annotations

import json
import signal

import doc_pages
import frameworks
import psutil
import pytest
from submitting import Gateway

EXAMPLE = doc_pages.ROOT / "examples" / "xgboost"


def test_the_example_trains_what_one_process_trains(gateway: Gateway) -> None:
    doc_pages.run(EXAMPLE / "README.md", gateway, frameworks.python("boosting").parent)
    (metrics,) = (gateway.work / "clouds-model").glob("container_*/metrics.json")
    together, alone = (
        json.loads(path.read_text()) for path in (metrics, gateway.work / "alone" / "metrics.json")
    )
    assert (together["workers"], alone["workers"]) == (2, 1)
    assert together["loss"] == pytest.approx(alone["loss"], rel=1e-5)
    assert together["loss"][-1] < 0.4 < 0.9 < together["loss"][0]
    gateway.nothing_is_left()


def test_a_worker_that_is_killed_ends_the_other_and_the_tracker(gateway: Gateway) -> None:
    (gateway.work / "data").mkdir()
    for number in range(2):
        rows = "".join(f"{row % 3},{row % 7},{row % 5}\n" for row in range(300))
        (gateway.work / "data" / f"{number}.csv").write_text(rows)
    running = gateway.start(
        *("--app-type", "DISTXGBOOST", "--worker-num", 2, "--board-enable", "false"),
        *("--input", "data#data", "--files", EXAMPLE / "train.py", "--logs=worker:1", "--"),
        *(frameworks.python("boosting"), "train.py", "--rounds", 1_000_000),
    )
    running.said("round 1/", 60)
    (victim,) = [process for process in gateway.processes() if _task(process) == "1"]
    victim.send_signal(signal.SIGKILL)
    ended = running.end()
    assert ended.code == 2, ended.err
    assert "First to fail: worker:1" in ended.err
    assert "signal 9" in ended.err or "SIGKILL" in ended.err, ended.err
    gateway.nothing_is_left()


def _task(process: psutil.Process) -> str:
    words = process.cmdline()
    return process.environ().get("DMLC_TASK_ID", "") if "train.py" in words else ""
