"""DISTXGBOOST: workers, the tracker's container, and the Python that runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from xlearning.config import load
from xlearning.frameworks import framework
from xlearning.frameworks.base import Crew, Setup
from xlearning.job import SCHEDULER, WORKER, JobSpec, Member, RoleSpec, Task

KIND = framework("distxgboost")
SCRIPT = ".xlearning-tracker/tracker.py"
CLUSTER = {
    SCHEDULER: (Member("node3", (25000,), "10.0.0.3"),),
    WORKER: (Member("node1"), Member("node2")),
}
SHARED = {"DMLC_TRACKER_URI": "10.0.0.3", "DMLC_TRACKER_PORT": "25000", "DMLC_NUM_WORKER": "2"}
OLD_TRACKER = """
class RabitTracker:
    def __init__(self, host_ip, n_workers, port=0, use_logger=False, sortby="host"):
        print("made", host_ip, n_workers, port, sortby)
    def start(self, n_workers):
        print("started", n_workers)
    def join(self):
        print("joined")
"""


def setup(role: str, *command: str, index: int = 0, **properties: str) -> Setup:
    config = load(environ={}, overrides=[(f"xlearning.{k}", v) for k, v in properties.items()])
    roles = KIND.roles(Crew(2, 0, False), config)
    job = JobSpec("application_1_1", "n", "DISTXGBOOST", "me", command, roles, "file:///s", "file://")
    return KIND.setup(job, config, Task(role, index, 1), CLUSTER)


def test_variables_of_a_worker() -> None:
    own = {"INDEX": "1", "DMLC_ROLE": "worker", "DMLC_TASK_ID": "1"}
    assert setup(WORKER, "python", "train.py", index=1) == Setup({**SHARED, **own})


def test_the_tracker_is_ours() -> None:
    found = setup(SCHEDULER, "python3.9", "train.py")
    assert found.env == {**SHARED, "INDEX": "0", "DMLC_ROLE": "scheduler"}
    assert list(found.files) == [SCRIPT]
    assert found.command == ("python3.9", SCRIPT, "python3.9", "2", "10.0.0.3", "25000")


@pytest.mark.parametrize(
    ("command", "python", "old_ones"),
    [
        (("python", "train.py"), "python", "python"),
        (("env/bin/python3", "train.py"), "env/bin/python3", "env/bin/python3"),
        (("/opt/conda/bin/python3.11", "-m", "x"), "/opt/conda/bin/python3.11", "/opt/conda/bin/python3.11"),
        (("sh", "demo.sh"), "python3", "python"),
        (("pythonic", "x"), "python3", "python"),
    ],
)
def test_which_python_runs_the_tracker(command: tuple[str, ...], python: str, old_ones: str) -> None:
    assert setup(SCHEDULER, *command).command[::2][:2] == (python, old_ones)
    named = setup(SCHEDULER, *command, **{"xgboost.python": "/opt/py"}).command
    assert named[::2][:2] == ("/opt/py", "/opt/py")


def test_a_gang_with_a_tracker_whose_port_is_given_back() -> None:
    config = load(environ={})
    roles = KIND.roles(Crew(2, 0, False), config)
    assert roles == (RoleSpec(SCHEDULER, 1, 1024, 1), RoleSpec(WORKER, 2, 1024, 1))
    job = JobSpec("application_1_1", "n", "DISTXGBOOST", "me", ("x",), roles, "file:///s", "file://")
    rules = KIND.rules(job, config)
    assert rules.gang
    assert (rules.ports, rules.lent_ports) == ({SCHEDULER: 1}, {SCHEDULER})
    assert (rules.service_roles, rules.upload_roles) == ({SCHEDULER}, {WORKER})
    assert not KIND.has_ps


def run_tracker(folder: Path, python: str = sys.executable, **files: str) -> subprocess.CompletedProcess[str]:
    """The script in a working folder with these files; ``python`` is that of an archive's own tracker."""
    for name, text in {SCRIPT: setup(SCHEDULER, "python").files[SCRIPT], **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run(
        [sys.executable, "-S", SCRIPT, python, "2", "10.0.0.3", "25000"],
        cwd=folder,
        env={"PYTHONPATH": str(folder / "site"), "PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_python_without_xgboost_says_what_to_do(tmp_path: Path) -> None:
    ended = run_tracker(tmp_path)
    assert ended.returncode == 1
    assert f"{sys.executable} has no tracker of XGBoost: No module named 'xgboost'" in ended.stderr
    assert "--conf xlearning.xgboost.python=PATH" in ended.stderr


def test_trackers_before_xgboost_2_1(tmp_path: Path) -> None:
    package = {"site/xgboost/__init__.py": "", "site/xgboost/tracker.py": OLD_TRACKER}
    ended = run_tracker(tmp_path, **package)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "made 10.0.0.3 2 25000 task",
        "started 2",
        "XGBoost's tracker listens on 10.0.0.3:25000 for 2 workers",
        "joined",
        "the workers are done",
    ]


def test_the_tracker_of_an_archive_is_run_as_the_original_did(tmp_path: Path) -> None:
    show = "import os, sys; print(*sys.argv, os.path.basename(os.getcwd()))"
    ended = run_tracker(tmp_path, **{"xgboost/self-define/rabitTracker.py": show})
    assert ended.stdout.splitlines() == [
        "running xgboost/self-define/rabitTracker.py of the archive that was given",
        "xgboost/self-define/rabitTracker.py --num-workers=2 --host-ip=10.0.0.3 --port=25000 "
        + tmp_path.name,
    ]


def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    ended = run_tracker(tmp_path, "no-python", **{"xgboost/self-define/rabitTracker.py": ""})
    assert ended.returncode == 1
    missing = "no-python, which runs xgboost/self-define/rabitTracker.py, cannot be started: No such file"
    assert ended.stderr.startswith(missing)
    assert "--conf xlearning.xgboost.python=PATH" in ended.stderr
