"""Faults that nobody expected, in what the ApplicationMaster does beside its loop."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from job_samples import OWN_APP

from xlearning.am import __main__ as main
from xlearning.am import page
from xlearning.am.core import actions as act
from xlearning.am.core import events as ev
from xlearning.am.finish import Ending
from xlearning.am.logs import NoAnswer
from xlearning.am.pools import Pool
from xlearning.am.runtime import Runtime, Services
from xlearning.errors import StorageError
from xlearning.fs import FileSystems
from xlearning.fs.commit import Committer
from xlearning.fs.replacing import MERGE, noted
from xlearning.job import AppState, JobSpec, OutputSpec, RoleSpec

APP_TYPE = "TENSORFLOW"


def told(staging: Path, action: act.Action) -> ev.Event:
    """The first event after an action."""
    job = JobSpec(
        app_id=OWN_APP,
        app_name="n",
        app_type=APP_TYPE,
        user="me",
        command=("true",),
        roles=(RoleSpec("worker", 1, 1, 1),),
        staging=staging.as_uri(),
        default_fs="file://",
        outputs=(OutputSpec((staging / "out").as_uri(), "model"),),
    )
    history: Any = SimpleNamespace(trouble="")
    manager: Any = SimpleNamespace()

    async def run() -> ev.Event:
        services = Services(manager, FileSystems("file://"), history, b"", b"", "127.0.0.1", False)
        runtime = Runtime(job, 1, services)
        await runtime._carry_out(action)
        try:
            return await asyncio.wait_for(runtime._events.get(), 20)
        finally:
            runtime._storage.close()

    return asyncio.run(run())


@pytest.mark.parametrize(("state", "newer"), [(AppState.SUCCEEDED, False), (AppState.FAILED, True)])
def test_a_success_is_told_without_the_staging_folder(tmp_path: Path, state: AppState, newer: bool) -> None:
    """An attempt after it would find nothing to begin with."""
    staging = tmp_path / OWN_APP
    staging.mkdir()
    committer = Committer(FileSystems("file://"), OWN_APP, staging.as_uri(), (), retry_time=0)
    committer.take_over(1)
    unused: Any = None
    pool = Pool("file system", 1, 10)
    ending = Ending(unused, unused, unused, committer, pool)

    async def run() -> bool:
        return await ending.replaced(state)

    assert not asyncio.run(run())
    shutil.rmtree(staging)
    assert asyncio.run(run()) is newer
    (staging / "commit-2").mkdir(parents=True)
    assert asyncio.run(run())
    pool.close()


def test_a_commit_that_fails_in_whatever_way_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def commit(*_: object, **__: object) -> None:
        raise ValueError

    monkeypatch.setattr(Committer, "commit", commit)
    assert told(tmp_path, act.Commit(())) == ev.CommitFailed("ValueError()")


def test_a_save_that_cannot_be_marked_in_whatever_way_ends_no_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mark(*_: object) -> None:
        raise ValueError("no mark")

    monkeypatch.setattr("xlearning.am.saves.mark_whole", mark)
    seal = act.SealSave("1", ((tmp_path / "save").as_uri(),))
    assert told(tmp_path, seal) == ev.SaveSealFailed("1", "no mark")


def test_saves_that_cannot_be_pruned_in_whatever_way_end_no_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prune(*_: object) -> None:
        raise RuntimeError("a fault of a library")

    monkeypatch.setattr("xlearning.am.saves.prune", prune)
    found = told(tmp_path, act.PruneSaves("1", ("file:///save",)))
    assert found == ev.SavesPruned((), ("older saves beside file:///save were left: a fault of a library",))


def test_a_damaged_note_of_what_an_output_held_is_named(tmp_path: Path) -> None:
    (tmp_path / "existing.json").write_text("{")
    storage, staging = FileSystems("file://"), tmp_path.as_uri()
    with pytest.raises(StorageError, match=r"/existing\.json is damaged: "):
        noted(storage, staging)
    committer = Committer(storage, OWN_APP, staging, (), retry_time=0, existing=MERGE)
    with pytest.raises(StorageError, match=r"/existing\.json is damaged: "):
        committer.commit(1, [], flat=True)


def test_a_page_that_cannot_be_started_in_whatever_way_is_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def start(_: object) -> None:
        raise RuntimeError("can't start new thread")

    async def launched(_: float) -> None:
        """At once."""

    monkeypatch.setattr(main, "_start_page", start)
    monkeypatch.setattr(main, "_PAGE_DELAY", 0)
    runtime: Any = SimpleNamespace(launched=launched)
    manager: Any = SimpleNamespace()
    assert asyncio.run(main.serve_page(runtime, manager)) is None
    assert "the job goes on without it" in caplog.text


def test_a_page_that_asks_a_busy_application_master_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_PATIENCE", 0.01)
    held, asked = threading.Event(), list[str]()

    def kill(viewer: str, _: str) -> tuple[bool, str]:
        asked.append(viewer)
        return True, "stopped"

    async def run() -> None:
        runtime: Any = SimpleNamespace(request_kill=kill)
        source = page.RuntimeSource(runtime, runtime, asyncio.get_running_loop())

        def ask() -> None:
            with pytest.raises(NoAnswer, match="may still do so"):
                source.request_kill("alice")
            held.set()

        asking = threading.Thread(target=ask)
        asking.start()
        held.wait(20)  # the loop stands still
        asking.join()
        for _ in range(3):  # and does then what was asked
            await asyncio.sleep(0)
        assert asked == ["alice"]

    asyncio.run(run())
