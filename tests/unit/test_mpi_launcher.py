"""How long the launcher waits for mpirun, without MPI."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from xlearning.container.mpi import launcher, talk
from xlearning.container.mpi import node as worker

PLAN = talk.Plan(-1, 2, 1, "127.0.0.1", ("127.0.0.1", 1), "", False, "", "", 0, False, False, ["true"])


class Mpirun:
    """What is done to it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.ended = asyncio.Event()

    def terminate(self) -> None:
        self.done.append("TERM")

    def kill(self) -> None:
        self.done.append("KILL")
        self.ended.set()


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> launcher.Launcher:
    monkeypatch.setattr(talk, "FOLDER", tmp_path)
    monkeypatch.setattr(talk, "settle", lambda *_: "")
    monkeypatch.setattr(launcher, "_NOTICE", 0.01)
    return launcher.Launcher(PLAN)


def watched(made: launcher.Launcher, *nodes: launcher.Node, wait: bool = True) -> list[str]:
    """What has been done to mpirun when it was killed, or without ``wait`` a moment after the nodes ended."""

    async def watch() -> list[str]:
        made._changed = asyncio.Condition()
        made._nodes = dict(enumerate(nodes))
        mpirun = Mpirun()
        task = asyncio.create_task(made._watch(mpirun))  # type: ignore[arg-type]
        await (mpirun.ended.wait() if wait else asyncio.sleep(0.2))
        task.cancel()
        return mpirun.done

    return asyncio.run(asyncio.wait_for(watch(), 20))


def node(index: int, **told: object) -> launcher.Node:
    return launcher.Node(index, None, started=True, **told)  # type: ignore[arg-type]


def test_a_node_that_has_ended_well_leaves_mpirun_time(made: launcher.Launcher) -> None:
    assert watched(made, node(0), node(1, ended=0), wait=False) == []
    assert not made._gave_up


def test_a_mpirun_that_outlives_good_nodes_is_stopped_with_words(
    made: launcher.Launcher, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher, "_LATE", 0.01)
    assert watched(made, node(0), node(1, ended=0)) == ["TERM", "KILL"]
    assert made._gave_up
    assert "mpirun has not ended in the 0.01 seconds since worker:1 did" in capfd.readouterr().err


@pytest.mark.parametrize("told", [{"ended": 1}, {"lost": True}])
def test_a_node_that_is_broken_does_not(made: launcher.Launcher, told: dict[str, object]) -> None:
    assert watched(made, node(0, ended=0), node(1, **told)) == ["TERM", "KILL"]
    assert made._gave_up


def test_what_fails_beside_mpirun_stops_it(
    made: launcher.Launcher, capfd: pytest.CaptureFixture[str]
) -> None:
    async def fails() -> None:
        raise OSError(24, "too many open files")

    mpirun = Mpirun()
    asyncio.run(made._help(fails, mpirun))  # type: ignore[arg-type]
    assert mpirun.done == ["KILL"] and made._gave_up
    assert "too many open files" in capfd.readouterr().err


def test_a_daemon_that_cannot_be_started_is_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def fork(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    sent: list[dict[str, object]] = []
    monkeypatch.setattr(asyncio, "create_subprocess_exec", fork)
    monkeypatch.setattr(talk, "send", lambda _writer, **message: sent.append(message))
    made = SimpleNamespace(_env={})
    asyncio.run(worker.Node._start(made, "orted", None))  # type: ignore[arg-type]
    assert sent == [{"ended": 126, "failed": [], "custom": None}]
    assert "Resource temporarily unavailable" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("ranks", "all_run"),
    [
        ([], False),
        (["0 2 job"], False),
        (["0 2 job", "1 2 job"], True),
        (["0 2 job", "0 2 job"], False),
        (["0 2 job", "1 2 spawned"], False),
        (["0 1 job", "1 2 spawned"], True),
        (["1 2 ", "0 2 "], True),
    ],
)
def test_when_all_ranks_of_a_job_run(ranks: list[str], all_run: bool) -> None:
    assert launcher.all_run(line.split() for line in ranks) is all_run
