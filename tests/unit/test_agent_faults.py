"""Faults that nobody expected, and results that come late, in a container: the job hears of its end."""

from __future__ import annotations

import asyncio
import errno
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from xlearning.cluster import credentials
from xlearning.config import Config
from xlearning.container import board, board_files, board_program, session
from xlearning.container.agent import Agent
from xlearning.container.board import Board
from xlearning.container.board_program import BoardPlace
from xlearning.container.identity import Identity
from xlearning.container.metrics import TreeMeter
from xlearning.container.orders import Orders
from xlearning.container.outputs import publisher
from xlearning.container.process import ProcessExit
from xlearning.container.program import Exited, Program
from xlearning.container.rendezvous import Rendezvous
from xlearning.container.voice import Voice
from xlearning.fs import FileSystems
from xlearning.fs.local import LocalFileSystem
from xlearning.job import BoardSpec, LaunchSpec, to_dict
from xlearning.proto import xlearning_pb2 as pb


def identity(folder: Path) -> Identity:
    return Identity(
        app_id="application_1_0001",
        attempt=1,
        staging=folder.as_uri(),
        container_id="container_1_0001_01_000002",
        role="worker",
        log_dir=folder,
        credentials=folder / "credentials",
        host="127.0.0.1",
        backend="local",
    )


class Ended:
    """A process that has ended, and leaves no time for a look at it."""

    pid = 7

    async def wait(self) -> ProcessExit:
        await asyncio.sleep(0)
        return ProcessExit(3, "exit code 3")

    async def wait_alone(self) -> ProcessExit:
        return ProcessExit(3, "exit code 3")

    def tree(self) -> list[Any]:
        return []

    def wake_guardian(self) -> None:
        """It sleeps not."""


def no_thread(*_: object) -> None:
    raise RuntimeError("can't start new thread")


def test_the_end_of_a_program_is_known_where_nothing_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(TreeMeter, "sample", no_thread)
    monkeypatch.setattr("xlearning.container.program.ProgressReader.poll", no_thread)
    (tmp_path / "stderr").mkdir()

    async def run() -> int:
        program = Program(LaunchSpec(("true",)), identity(tmp_path), tmp_path, Config.from_properties({}))
        program._process = Ended()  # type: ignore[assignment]
        end = await program.wait(1.0, early.append)
        await program.measure()
        return end.exit.code

    early: list[Exited] = []
    assert asyncio.run(run()) == 3
    assert [one.exit.code for one in early] == [3]
    assert "can't start new thread" in caplog.text
    assert "last lines cannot be read" in caplog.text


def test_a_fault_while_a_program_is_started_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials.create(tmp_path / "credentials")
    monkeypatch.setattr(Program, "start", no_thread)

    async def run() -> tuple[int, list[pb.AgentMessage]]:
        agent = Agent(identity(tmp_path), tmp_path)
        agent.hear(pb.AmMessage(generation=1, prepare=pb.Prepare(role="worker")))
        spec = json.dumps(to_dict(LaunchSpec(("true",))))
        agent.hear(pb.AmMessage(generation=1, launch=pb.Launch(spec_json=spec)))
        code = await asyncio.wait_for(agent._end, 20)
        return code, list(agent.facts())

    code, facts = asyncio.run(run())
    (exited,) = [fact.process_exited for fact in facts if fact.HasField("process_exited")]
    assert code == 1 and exited.exit_code != 0
    assert exited.reason == 'a fault of the agent: RuntimeError("can\'t start new thread")'


# ---- the address of the ApplicationMaster --------------------------------------------------------


class Worn(LocalFileSystem):
    """A disk that fails in one way after the other once it has answered."""

    faults: tuple[OSError, ...] = ()

    def open_read(self, path: str) -> BinaryIO:
        if self.faults:
            fault, *self.faults = self.faults  # type: ignore[assignment]
            raise fault
        return super().open_read(path)


def test_whatever_keeps_the_address_from_being_read_the_last_one_holds(tmp_path: Path) -> None:
    (tmp_path / "am-1.json").write_text('{"address": "h:1"}')
    disk = Worn()
    rendezvous = Rendezvous(lambda: disk, tmp_path.as_uri(), 1)
    assert rendezvous.locate() == "h:1"
    disk.faults = (PermissionError(errno.EACCES, "denied"), OSError(errno.EMFILE, "too many files"))
    assert [rendezvous.locate(), rendezvous.locate()] == ["h:1"] * 2
    for damaged in ("{", "{}", "[]"):
        (tmp_path / "am-1.json").write_text(damaged)
        assert rendezvous.locate() == "h:1"


def test_a_message_that_cannot_be_sent_is_a_fault_and_no_broken_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials.create(tmp_path / "credentials")
    monkeypatch.setattr(session, "_FAREWELL", 0.01)

    class Call:
        async def read(self) -> None:
            await asyncio.Event().wait()

        async def write(self, message: object) -> None:  # noqa: ARG002
            raise TypeError("no message")

        def cancel(self) -> None:
            """Nobody is there."""

    async def run() -> None:
        made = session.Session(
            pb.Register(), tmp_path / "credentials", lambda: None, first_pause=1.0, patience=1.0
        )
        made._begin([pb.AgentMessage()])
        await made._exchange(Call(), Agent(identity(tmp_path), tmp_path))

    with pytest.raises(TypeError, match="no message"):
        asyncio.run(run())


# ---- saves ---------------------------------------------------------------------------------------


def test_an_older_save_that_ends_late_does_not_hide_the_newer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, go = threading.Event(), threading.Event()

    def save(order: publisher.Order, *_: object, **__: object) -> None:
        if order.save_id == "old":
            held.set()
            go.wait(60)

    monkeypatch.setattr(publisher, "save", save)

    async def run() -> list[pb.AgentMessage]:
        voice = Voice(lambda _: None, lambda _: None)
        made = publisher.Publisher(tmp_path, Orders(identity(tmp_path)), voice, lambda: None)
        old = asyncio.create_task(made.save(pb.Save(save_id="old")))
        await asyncio.to_thread(held.wait, 60)
        await made.save(pb.Save(save_id="new"))
        go.set()
        await old
        return list(voice.facts())

    (fact,) = asyncio.run(run())
    assert fact.save_done.save_id == "new"


# ---- the board -----------------------------------------------------------------------------------

Told = list[tuple[str, str]]


def a_board(folder: Path, told: Told, history: str = "") -> Board:
    spec = BoardSpec(True, 0, "logs", 1, history=history)
    place = BoardPlace(folder, folder, "127.0.0.1", {}, "")
    return Board(spec, place, Config.from_properties({}), lambda url, note: told.append((url, note)))


def test_whatever_goes_wrong_with_a_board_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: Told = []
    monkeypatch.setattr(board_program, "find", no_thread)

    async def run() -> None:
        await a_board(tmp_path, told).run()

    asyncio.run(run())
    assert told == [("", 'TensorBoard cannot be started: RuntimeError("can\'t start new thread")')]


@pytest.mark.parametrize("leaves", [Board.hurry, Board.stop])
def test_files_of_a_board_do_not_hold_up_an_agent_that_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leaves: Callable[[Board], Any]
) -> None:
    told: Told = []
    held, go = threading.Event(), threading.Event()

    def keep(*_: object) -> int:
        held.set()
        go.wait(60)
        return 1

    monkeypatch.setattr(board_files, "keep", keep)
    monkeypatch.setattr(board, "_KEEPING", 600.0)
    monkeypatch.setattr(board, "_HURRY" if leaves is Board.hurry else "_LEAVING", 0.01)

    async def run() -> None:
        made = a_board(tmp_path, told, (tmp_path / "history").as_uri())
        keeping = asyncio.create_task(made.keep(FileSystems("file://")))
        await asyncio.to_thread(held.wait, 60)
        if (left := leaves(made)) is not None:
            await left
        await asyncio.wait_for(keeping, 20)

    asyncio.run(run())
    go.set()
    assert told == [("", "the files of TensorBoard were not kept: there was no time left")]


@pytest.mark.parametrize("failed", [True, False])
def test_a_program_whose_output_cannot_be_written_is_not_said_to_fail_of_the_closed_pipe(
    tmp_path: Path, failed: bool
) -> None:
    """It may die of that before the order to stop reaches it, and leave something behind."""

    class Died:
        async def wait_alone(self) -> ProcessExit:
            return ProcessExit(141, "ended by SIGPIPE")

    class Broken:
        def __init__(self) -> None:
            self.failed = failed

    told: list[Exited] = []
    program: Any = Program(LaunchSpec(("true",)), identity(tmp_path), tmp_path, Config.from_properties({}))
    program._process, program.sink = Died(), Broken()
    asyncio.run(program._tell_failing(told.append))
    assert bool(told) is not failed
