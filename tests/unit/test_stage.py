"""What is in an application's staging folder, who may read it, and that nothing stays after a failure."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from xlearning.client.api.job import Job
from xlearning.client.api.order import request_of
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.scan import scan
from xlearning.client.stage import stage, unstage
from xlearning.cluster import credentials
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound, ClusterError, UsageError
from xlearning.fs import FileSystems
from xlearning.job import JobSpec, from_dict

APP = "application_1700000000000_0001"
FSS = FileSystems("file://")


def unknown(app_id: str) -> ApplicationReport:
    raise ApplicationNotFound(app_id)


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    with open(tmp_path / "big.bin", "wb") as file:
        file.truncate(17 * 2**20)
    line = scan(["--files", "run.sh,big.bin", "./run.sh", "\udcff"])
    setting = Setting("me", 1.0, "file://", unknown)
    return make_plan(request_of(Job.of_line(line)), Config.from_properties({}), FSS, setting)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_that_is_there_already_is_left_alone(plan: Plan, tmp_path: Path) -> None:
    """Ids can be foreseen: whoever made it may have put something there."""
    folder = tmp_path / "staging" / APP
    folder.mkdir(parents=True)
    (folder / "am-1.json").write_text("{}")
    with pytest.raises(ClusterError, match=f"{folder} is there already and belongs to "):
        stage(plan, FSS, app_id=APP, staging_root=f"file://{tmp_path}/staging", now=12.5)
    assert [one.name for one in folder.iterdir()] == ["am-1.json"]


def test_staging_is_complete_and_private(plan: Plan, tmp_path: Path) -> None:
    job = stage(plan, FSS, app_id=APP, staging_root=f"file://{tmp_path}/staging", now=12.5)
    folder = tmp_path / "staging" / APP
    assert (job.app_id, job.staging, job.submitted) == (APP, f"file://{folder}", 12.5)
    assert from_dict(JobSpec, json.loads((folder / "job.json").read_bytes())) == job
    assert (mode(folder), mode(folder / "credentials")) == (0o700, 0o700)
    assert {path.name: mode(path) for path in (folder / "credentials").iterdir()} == {
        "tls.crt": 0o600,
        "tls.key": 0o600,
    }
    assert [item.uri for item in job.resources] == [
        f"file://{folder}/files/run.sh",
        f"file://{tmp_path}/big.bin",
    ]
    assert mode(folder / "files" / "run.sh") == 0o755
    unstage(job, FSS)
    assert list((tmp_path / "staging").iterdir()) == []


def test_nothing_stays_after_a_failure(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "run.sh").unlink()
    with pytest.raises(UsageError, match=r"run\.sh cannot be read any more"):
        stage(plan, FSS, app_id=APP, staging_root=f"file://{tmp_path}/staging", now=1.0)
    assert list((tmp_path / "staging").iterdir()) == []


def test_every_application_has_credentials_of_its_own(plan: Plan, tmp_path: Path) -> None:
    root = f"file://{tmp_path}/staging"
    small = replace(plan, shipped=())
    pairs = set()
    for app_id in (APP, APP + "7"):
        stage(small, FSS, app_id=app_id, staging_root=root, now=1.0)
        pairs.add(credentials.load(tmp_path / "staging" / app_id / "credentials"))
    assert len(pairs) == 2
