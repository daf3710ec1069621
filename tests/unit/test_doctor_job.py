"""The job of ``doctor --in-cluster`` when it does not end by itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from xlearning.client.doctor import in_cluster
from xlearning.client.doctor.model import Mark
from xlearning.cluster.background import Background

# Stands for xl-submit: hangs until it is told to end, by its verb `kill` or by a signal.
PROGRAM = """
import os, sys, time
folder = {folder!r}
words = sys.argv[1:]
with open(folder + "/said", "a") as file:
    print(*words, file=file)
if words[0] == "kill":
    open(folder + "/killed", "w").close()
    sys.exit(0)
if {submits}:
    print("application_1_0001", flush=True)
while not os.path.exists(folder + "/killed"):
    time.sleep(0.02)
sys.exit(2)
"""


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    def choose(submits: bool) -> None:
        monkeypatch.setattr(in_cluster, "_SUBMIT", PROGRAM.format(folder=str(tmp_path), submits=submits))

    return choose


def test_a_job_that_hangs_is_killed(tmp_path: Path, client: Callable[[bool], None]) -> None:
    client(True)
    with in_cluster.start_client(["job"]) as process:
        assert process.stdout is not None
        app_id = Background("id", process.stdout.readline)
        assert app_id.wait(60)
        assert in_cluster.end_client(process, app_id) == "application_1_0001"
        assert process.returncode == 2
    said = (tmp_path / "said").read_text().splitlines()
    assert said == ["job", "kill application_1_0001 --reason ended by xl-submit doctor"]


def test_a_client_that_has_not_submitted_is_ended(client: Callable[[bool], None]) -> None:
    client(False)
    found = in_cluster.run_job(["job"], 0.05, time.monotonic())
    assert (found.mark, "no job could be submitted" in found.text) == (Mark.PROBLEM, True)
