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
    (metrics,) = (gateway.work / "clouds-trees").glob("container_*/metrics.json")
    together, alone = (
        json.loads(path.read_text()) for path in (metrics, gateway.work / "alone" / "metrics.json")
    )
    assert (together["workers"], alone["workers"]) == (2, 1)
    assert together["loss"] == pytest.approx(alone["loss"], rel=1e-5)
    assert together["loss"][-1] < 0.4 < 0.9 < together["loss"][0]
    gateway.nothing_is_left()


@pytest.mark.parametrize(
    ("name", "last_words"),
    [("worker:1", "reporter progress:"), ("scheduler:0", "XGBoost's tracker listens on")],
)
def test_who_is_killed_ends_all_others(gateway: Gateway, name: str, last_words: str) -> None:
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
    (victim,) = [process for process in gateway.processes() if _task(process) == name]
    victim.send_signal(signal.SIGKILL)
    ended = running.end()
    assert ended.code == 2, ended.err
    _, first, about = ended.err.partition(f"First to fail: {name} ")
    assert first, ended.err
    assert "SIGKILL" in ended.err, ended.err
    assert f"| {last_words}" in about
    gateway.nothing_is_left()


def _task(process: psutil.Process) -> str:
    """What XLearning calls the program that it runs; nothing for other processes."""
    if not {"train.py", ".xlearning-tracker/tracker.py"} & set(process.cmdline()):
        return ""
    told = process.environ()
    return f"{told['DMLC_ROLE']}:{told.get('DMLC_TASK_ID', 0)}" if "DMLC_ROLE" in told else ""
