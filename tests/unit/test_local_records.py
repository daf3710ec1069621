"""Jobs of this machine whose records are damaged, or are somebody else's."""

from __future__ import annotations

import getpass
import io
import json
import os
import time
from pathlib import Path

import pytest

from xlearning.client.back_ends.this_machine import OnThisMachine
from xlearning.client.console import PlainConsole
from xlearning.client.sweep import sweep_dead
from xlearning.client.verbs.applications import find_application
from xlearning.client.verbs.listing import list_lines
from xlearning.client.verbs.places import Places
from xlearning.client.verbs.status_text import moment
from xlearning.cluster import processes
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.local import LocalCluster
from xlearning.cluster.local_files import AppFolder, Damaged
from xlearning.cluster.local_supervisor import KEPT_APPLICATIONS, delete_old
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound
from xlearning.fs import FileSystems
from xlearning.job import AppState, to_dict

ME = getpass.getuser()
GOOD, BAD = "application_1700000000000_0001", "application_1700000000000_0002"


def put(root: Path, app_id: str, text: str | None = None, submitted: float = 5.0) -> Path:
    report = ApplicationReport(app_id, "n", ME, AppState.SUCCEEDED, submitted=submitted)
    folder = root / "apps" / app_id
    folder.mkdir(parents=True)
    (folder / "app.json").write_text(json.dumps(to_dict(report)) if text is None else text)
    return folder


@pytest.mark.parametrize("text", ["", "null", "[" * 100_000, "{}", '{"app_id": 1}', None])
def test_a_damaged_record_is_left_out_with_one_warning(text: str | None, tmp_path: Path) -> None:
    put(tmp_path, GOOD)
    if text is None:
        (put(tmp_path, BAD) / "app.json").unlink()
        os.mkfifo(tmp_path / "apps" / BAD / "app.json")
    else:
        put(tmp_path, BAD, text)
    warnings: list[str] = []
    config = Config.from_properties({"xlearning.local.dir": str(tmp_path)})
    places = Places(config, ME, only_local=True, warn=warnings.append)
    assert find_application("last", places).app_id == GOOD
    assert [one.app_id for one in places.local.jobs(ME)] == [GOOD]
    assert len(warnings) == 1
    assert f"{BAD}/app.json" in warnings[0]


def test_a_record_of_another_application(tmp_path: Path) -> None:
    put(tmp_path, BAD, json.dumps(to_dict(ApplicationReport(GOOD, "n", ME, AppState.SUCCEEDED))))
    with pytest.raises(Damaged, match=f"it is about {GOOD}"):
        LocalCluster(tmp_path).report(BAD)


def test_what_a_supervisor_was_told_may_be_damaged_too(tmp_path: Path) -> None:
    running = to_dict(ApplicationReport(BAD, "n", ME, AppState.RUNNING))
    folder = put(tmp_path, BAD, json.dumps(running))
    for text in ("null", '{"staging": 1}', '{"client": "", "staging": "s", "grace": "soon", "patience": 1}'):
        (folder / "launch.json").write_text(text)
        with pytest.raises(Damaged, match=r"launch\.json is damaged"):
            LocalCluster(tmp_path).report(BAD)


def test_folders_of_others_are_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put(tmp_path, GOOD)
    (tmp_path / "apps" / BAD).symlink_to(folder)
    assert not AppFolder(tmp_path / "apps" / BAD).is_own()
    assert [one.app_id for one in LocalCluster(tmp_path).list()] == [GOOD]
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert list(LocalCluster(tmp_path).list()) == []
    with pytest.raises(ApplicationNotFound):
        LocalCluster(tmp_path).report(GOOD)


@pytest.mark.parametrize("state", [AppState.SUCCEEDED, AppState.RUNNING])
def test_what_a_killed_supervisor_left_is_removed_by_the_next_submission(
    state: AppState, tmp_path: Path
) -> None:
    folders = [put(tmp_path, GOOD), put(tmp_path, BAD)]
    for folder, supervisor in zip(folders, ("999999999 1", processes.identity(os.getpid())), strict=True):
        report = ApplicationReport(folder.name, "n", ME, state, attempt=1)
        (folder / "app.json").write_text(json.dumps(to_dict(report)))
        (folder / "supervisor.pid").write_text(supervisor)
        launch = {"staging": "s", "client": "", "grace": 0.1, "patience": 1.0}
        (folder / "launch.json").write_text(json.dumps(launch))
        for name in (
            "credentials",
            "cache",
            "am/1/work",
            "am/1/logs",
            "containers/c/work",
            "containers/c/logs",
        ):
            (folder / name).mkdir(parents=True)
            (folder / name / "file").write_text("much")
    (tmp_path / "apps" / "something else").mkdir()
    config = Config.from_properties({"xlearning.local.dir": str(tmp_path)})
    OnThisMachine(config, ME).sweep(FileSystems("file://"), PlainConsole(io.StringIO()))
    left = {str(path.relative_to(folders[0])) for path in folders[0].rglob("file")}
    assert left == {"am/1/logs/file", "containers/c/logs/file"}
    assert LocalCluster(tmp_path).report(GOOD).state.final
    assert len(list(folders[1].rglob("file"))) == 6, "its supervisor lives"


def test_what_a_client_left_that_was_killed_while_it_staged(tmp_path: Path) -> None:
    cluster, console = LocalCluster(tmp_path), PlainConsole(io.StringIO())
    config = Config.from_properties({"xlearning.local.dir": str(tmp_path)})
    names = [cluster.new_application_id() for _ in range(2)]
    for name in names:
        (tmp_path / "staging" / name / "credentials").mkdir(parents=True)
        (tmp_path / "staging" / name / "credentials" / "tls.key").write_text("secret")
    (tmp_path / "apps" / names[0] / "client.pid").write_text("999999999 1")  # the other one is still at it
    assert list(cluster.list()) == []
    fss = FileSystems("file://")
    sweep_dead((tmp_path / "staging").as_uri(), ME, fss, cluster, console)
    OnThisMachine(config, ME).sweep(fss, console)
    for folder in ("staging", "apps"):
        assert [child.name for child in (tmp_path / folder).iterdir()] == names[1:]


def test_old_folders_of_others_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(KEPT_APPLICATIONS + 2):
        (tmp_path / f"application_1000000000000_{number:04d}").mkdir()
    with monkeypatch.context() as others:
        others.setattr(os, "getuid", lambda: 12345)
        delete_old(tmp_path, time.time())
    assert len(list(tmp_path.iterdir())) == KEPT_APPLICATIONS + 2
    delete_old(tmp_path, time.time())
    assert len(list(tmp_path.iterdir())) == KEPT_APPLICATIONS


@pytest.mark.parametrize("when", [1e300, -1e300, float("nan"), float("inf")])
def test_times_that_are_none(when: float, tmp_path: Path) -> None:
    put(tmp_path, GOOD, submitted=when)
    config = Config.from_properties({"xlearning.local.dir": str(tmp_path)})
    found = find_application(GOOD, Places(config, ME, only_local=True))
    assert " ? " in list_lines([found], time.time())[1]
    assert moment(when) == "?"
