"""What a submission tidies up of earlier jobs, and what it leaves alone."""

from __future__ import annotations

import getpass
import io
import json
import os
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from xlearning.client import skein_remains
from xlearning.client.console import PlainConsole
from xlearning.client.sweep import sweep_dead
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ApplicationNotFound
from xlearning.fs import FileSystems
from xlearning.job import AppState, JobSpec, to_dict

ME = getpass.getuser()
DEAD, ALIVE, FOREIGN = "application_1_0001", "application_1_0002", "application_1_0003"
STATES = {DEAD: AppState.KILLED, ALIVE: AppState.RUNNING}


class Cluster:
    """Knows our applications; `FOREIGN` is of another program."""

    def report(self, app_id: str) -> ApplicationReport:
        if app_id not in STATES:
            raise ApplicationNotFound(f"unknown {app_id}")
        return ApplicationReport(app_id, "n", ME, STATES[app_id])

    def list(self) -> Sequence[ApplicationReport]:
        return [self.report(app_id) for app_id in STATES]

    def kill(self, app_id: str, why: str = "") -> None:  # noqa: ARG002
        raise AssertionError(app_id)

    def logs(self, app_id: str, container_id: str) -> Mapping[str, str]:
        raise AssertionError(app_id + container_id)


@pytest.fixture
def console() -> PlainConsole:
    return PlainConsole(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))


def names(folder: Path) -> set[str]:
    return {child.name for child in folder.iterdir()}


def test_staging_folders_of_ended_jobs_go(tmp_path: Path, console: PlainConsole) -> None:
    for app_id in (DEAD, ALIVE, FOREIGN):
        job = JobSpec(app_id, "n", "T", ME, ("x",), (), f"file://{tmp_path}/{app_id}", "file://")
        (tmp_path / app_id).mkdir()
        (tmp_path / app_id / "job.json").write_text(json.dumps(to_dict(job)))
    sweep_dead(f"file://{tmp_path}", ME, FileSystems("file://"), Cluster(), console)
    assert names(tmp_path) == {ALIVE, FOREIGN}


@pytest.mark.parametrize("listens", [True, False])
def test_an_application_that_yarn_has_forgotten(listens: bool, tmp_path: Path, console: PlainConsole) -> None:
    """It has ended when nobody listens at the address of its ApplicationMaster."""
    job = JobSpec(FOREIGN, "n", "T", ME, ("x",), (), f"file://{tmp_path}/{FOREIGN}", "file://")
    (tmp_path / FOREIGN).mkdir()
    (tmp_path / FOREIGN / "job.json").write_text(json.dumps(to_dict(job)))
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        (tmp_path / FOREIGN / "am-1.json").write_text(json.dumps({"address": address, "attempt": 1}))
        if not listens:
            server.close()
        sweep_dead(f"file://{tmp_path}", ME, FileSystems("file://"), Cluster(), console)
    assert names(tmp_path) == ({FOREIGN} if listens else set())


def test_a_client_that_was_killed_while_it_staged(tmp_path: Path, console: PlainConsole) -> None:
    for app_id in (DEAD, ALIVE):
        (tmp_path / app_id / "credentials").mkdir(parents=True)
    sweep_dead(f"file://{tmp_path}", ME, FileSystems("file://"), Cluster(), console)
    assert names(tmp_path) == {ALIVE}


def test_a_job_that_cannot_be_read_is_left_alone(tmp_path: Path, console: PlainConsole) -> None:
    (tmp_path / DEAD).mkdir()
    (tmp_path / DEAD / "job.json").write_text("{")
    sweep_dead(f"file://{tmp_path}", ME, FileSystems("file://"), Cluster(), console)
    assert names(tmp_path) == {DEAD}


def began() -> int:
    """Start of the ResourceManager of these tests."""
    return 1700000000000


def test_folders_of_skein_that_no_cluster_has_heard_of(
    tmp_path: Path, console: PlainConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own, other = f"application_{began()}_7777", "application_1600000000000_7777"
    hours = {own: 2, other: 2, f"{own}8": 0}
    for name, age in hours.items():
        (tmp_path / ".skein" / name).mkdir(parents=True)
        when = time.time() - 3600 * age
        os.utime(tmp_path / ".skein" / name, (when, when))
    skein_remains.sweep(FileSystems("file://"), Cluster(), console, began)
    assert names(tmp_path / ".skein") == {other, f"{own}8"}


def test_folders_of_skein_go_with_our_ended_jobs_only(
    tmp_path: Path, console: PlainConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where a relative path leads on the local file system
    fss = FileSystems("file://")
    skein_remains.sweep(fss, Cluster(), console, began)
    for app_id in (DEAD, ALIVE, FOREIGN):
        (tmp_path / ".skein" / app_id).mkdir(parents=True)
        (tmp_path / ".skein" / app_id / "skein.jar").touch()
    skein_remains.sweep(fss, Cluster(), console, began)
    assert names(tmp_path / ".skein") == {ALIVE, FOREIGN}
    skein_remains.remove(ALIVE, fss, console)
    skein_remains.remove(ALIVE, fss, console)
    assert names(tmp_path / ".skein") == {FOREIGN}
