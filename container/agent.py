"""One container: hears the ApplicationMaster's orders, carries them out, and says what happened."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import os
import signal
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xlearning import __version__
from xlearning.container import blocking, logview, transfers
from xlearning.container.identity import Identity
from xlearning.container.orders import EXPECTED, Orders
from xlearning.container.outputs.publisher import Publisher
from xlearning.container.ports import HeldPort
from xlearning.container.process import sweep_descendants
from xlearning.container.program import Exited, Program
from xlearning.container.rendezvous import Fenced, Over, Rendezvous
from xlearning.container.session import Session, SessionLost, SessionRefused
from xlearning.container.voice import Voice, clean, clean_all, words
from xlearning.proto import xlearning_pb2 as pb

if TYPE_CHECKING:
    from xlearning.container.board import Board

log = logging.getLogger(__name__)

RELEASED, ABANDONED = 0, 1  # exit codes: sent home; alone, refused or broken
_FIRST_PATIENCE = 60.0  # seconds to look for an ApplicationMaster that was never seen
_FIRST_PAUSE_LOCAL, _FIRST_PAUSE = 0.02, 0.3
_FAREWELL = 3.0
_FAULT = os.EX_SOFTWARE
_CANNOT_START = os.EX_CONFIG  # apart from what a shell says of commands


class Agent:
    """The agent of one container.

    Parameters
    ----------
    identity : Identity
    work : Path
        The container's working folder.
    pythonpath : str
        PYTHONPATH of the agent itself.
    """

    def __init__(self, identity: Identity, work: Path, pythonpath: str = "") -> None:
        self._identity = identity
        self._work = work
        self._pythonpath = pythonpath
        self._orders = Orders(identity)
        self._ports: list[HeldPort] = []
        self._program: Program | None = None
        self._board: Board | None = None
        self._launch_task: asyncio.Task[None] | None = None
        self._stop_reason: str | None = None
        self._leaving = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._end: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._session = self._make_session()
        self._voice = Voice(self._session.tell, self._session.tell_newest)
        self._publisher = Publisher(work, self._orders, self._voice, self._find_pid)

    async def run(self) -> int:
        """Serve until the container is released, or left alone; the exit code of the agent."""
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(signum, self._leave, 128 + signum, f"got {signum.name}")
        conversation = self._spawn(self._converse())
        self._spawn(self._beat())
        code = await self._end
        await self._shut_down(conversation)
        return code

    # ---- the conversation ---------------------------------------------------------------------

    def facts(self) -> Sequence[pb.AgentMessage]:
        """See `xlearning.container.session.Talker`."""
        return self._voice.facts()

    def hear(self, message: pb.AmMessage) -> None:
        """Act on one order; those for another generation are ignored."""
        kind = message.WhichOneof("body") or "unknown"
        own = self._voice.generation
        if kind == "prepare":
            self._prepare(message.generation, message.prepare)
        elif kind == "read_log":
            self._spawn(self._show_log(message.read_log))
        elif message.generation != own and not (kind == "release" and own == 0):
            log.warning("ignored %s for generation %d; this is %d", kind, message.generation, own)
        elif kind == "launch":
            self._launch(message.launch)
        elif kind == "stop_process":
            self._stop(message.stop_process)
        elif kind == "upload":
            self._spawn(self._publisher.upload(message.upload))
        elif kind == "save":
            self._spawn(self._publisher.save(message.save))
        elif kind == "release":
            self._leave(RELEASED, f"released: {message.release.reason or 'no longer needed'}")
        else:
            log.warning("ignored an order that this version does not know")

    def _make_session(self) -> Session:
        me = self._identity
        register = pb.Register(
            container_id=me.container_id,
            attempt=me.attempt,
            host=me.host,
            version=__version__,
            pid=os.getpid(),
        )
        return Session(
            register,
            me.credentials,
            Rendezvous(self._orders.staging_fs, me.staging, me.attempt).locate,
            first_pause=_FIRST_PAUSE_LOCAL if me.staging.startswith("file:") else _FIRST_PAUSE,
            patience=_FIRST_PATIENCE,
        )

    async def _converse(self) -> None:
        try:
            await self._session.run(self)
        except SessionRefused as error:
            self._leave(ABANDONED, f"the ApplicationMaster refused this container: {error}")
        except (SessionLost, Fenced, Over) as error:
            self._leave(ABANDONED, str(error))

    async def _beat(self) -> None:
        while True:
            self._tell_state()
            await asyncio.sleep(self._session.beat_interval)

    def _tell_state(self) -> None:
        program, voice = self._program, self._voice
        beat = pb.Beat()
        if program is not None:
            beat.cpu_percent, beat.memory_bytes = program.usage.cpu_percent, program.usage.memory_bytes
            beat.gpus.extend(pb.Gpu(**dataclasses.asdict(gpu)) for gpu in program.usage.gpus)
            if program.progress is not None:
                beat.has_progress, beat.progress = True, program.progress
        if moving := transfers.report(program, self._publisher):
            voice.mention(**moving)
        voice.mention(beat=beat)

    # ---- orders -------------------------------------------------------------------------------

    def _prepare(self, generation: int, order: pb.Prepare) -> None:
        own = self._voice.generation
        if generation == own:
            self._voice.say_again("ports_ready")
        elif generation < own or self._launch_task is not None:
            log.warning("ignored prepare for generation %d; this is %d", generation, own)
        else:
            log.info("this is %s:%d, generation %d", order.role, order.index, generation)
            self._voice.begin(generation)
            self._spawn(self._reserve(generation, order.ports))

    async def _reserve(self, generation: int, count: int) -> None:
        self._release_ports()
        try:
            held = await blocking.call(lambda: self._orders.reserve(count), name="ports")
        except EXPECTED as error:
            self._voice.say(fetch_failed=pb.FetchFailed(reason=words(error)))
            self._leave(ABANDONED, f"cannot reserve {count} ports: {error}")
            return
        if generation == self._voice.generation:
            self._ports = held
            ip = held[0].ip if held else ""
            self._voice.say(ports_ready=pb.PortsReady(ports=[port.port for port in held], ip=ip))

    def _launch(self, order: pb.Launch) -> None:
        if self._launch_task is None and self._stop_reason is None:
            self._launch_task = self._spawn(self._run_program(order))

    async def _run_program(self, order: pb.Launch) -> None:
        program = await self._fetch(order)
        if program is None:
            return
        if program.spec.lend_ports:
            for port in self._ports:
                port.lend()
        try:
            pid = await program.start(self._orders.fss)
        except EXPECTED as error:
            log.warning("the program cannot be started: %s", error)
            self._voice.say(process_exited=pb.ProcessExited(exit_code=_CANNOT_START, reason=words(error)))
            return
        if program.sink is not None:
            self._publisher.attach(program.sink)
        if pid is not None:
            log.info("the program runs with pid %d", pid)
            self._voice.say(process_started=pb.ProcessStarted(pid=pid))
            self._start_board(program)
        end = await program.wait(self._session.beat_interval, self._say_failing)
        if self._board is not None:
            if end.exit.code:
                self._say_failing(end)
            await self._board.keep(self._orders.fss)
        reason = end.exit.reason
        if reason and self._leaving:
            reason = f"{reason}, because the agent is leaving: {self._leaving}"
        log.info("the program has ended: %s", reason or "exit code 0")
        self._tell_state()
        self._voice.say(process_exited=_exited(end, reason))

    def _say_failing(self, end: Exited) -> None:
        """The others of its gang may fail any moment for want of it: who was first must be known."""
        self._voice.say(process_failing=_exited(end, end.exit.reason))

    async def _fetch(self, order: pb.Launch) -> Program | None:
        """The program with its folder made and its input fetched; None when that failed."""
        try:
            launch = await blocking.call(lambda: self._orders.read_launch(order), name="launch")
            program = Program(launch.spec, self._identity, self._work, launch.config)
            if self._stop_reason is None:
                self._program = program
                await program.prepare(launch.fss)
        except EXPECTED as error:
            reason = words(error) if self._stop_reason is None else f"stopped: {self._stop_reason}"
            self._nothing_started(reason)
            return None
        if self._stop_reason is not None:
            self._nothing_started(f"stopped: {self._stop_reason}")
            return None
        self._voice.say(fetch_done=pb.FetchDone(files=program.fetched.files, bytes=program.fetched.size))
        return program

    def _find_pid(self) -> int | None:
        return self._program.pid if self._program is not None else None

    def _start_board(self, program: Program) -> None:
        spec = program.spec.board
        if spec is None or not spec.enabled:
            return
        from xlearning.cluster.page import board_base
        from xlearning.container.board import Board  # loaded where it runs only
        from xlearning.container.board_program import BoardPlace

        place = BoardPlace(
            self._work,
            self._identity.log_dir,
            self._identity.host,
            program.environment,
            self._pythonpath,
            program.spec.command[0],
            "" if self._identity.local else board_base(self._identity.app_id),
        )
        self._board = Board(
            spec,
            place,
            self._orders.config,
            lambda url, note: self._voice.say(board_started=pb.BoardStarted(url=url, note=clean(note))),
        )
        self._spawn(self._board.run())

    async def _show_log(self, order: pb.ReadLog) -> None:
        piece = await blocking.call(lambda: logview.answer(self._identity.log_dir, order), name="log")
        self._session.tell(pb.AgentMessage(generation=self._voice.generation, log_piece=piece))

    def _stop(self, order: pb.StopProcess) -> None:
        log.info("stopping the program: %s", order.reason)
        self._stop_reason = order.reason or "no longer needed"
        if self._board is not None:
            self._board.hurry()
        if self._program is not None:
            self._spawn(self._program.stop(order.grace))
        elif self._launch_task is None:
            self._nothing_started(f"stopped: {self._stop_reason}")

    def _nothing_started(self, reason: str) -> None:
        log.warning("nothing was started: %s", reason)
        self._voice.say(fetch_failed=pb.FetchFailed(reason=clean(reason)))

    # ---- the end ------------------------------------------------------------------------------

    def _leave(self, code: int, reason: str) -> None:
        if not self._end.done():
            log.log(logging.INFO if code == RELEASED else logging.ERROR, "leaving: %s", reason)
            self._leaving = reason
            self._end.set_result(code)

    async def _shut_down(self, conversation: asyncio.Task[None]) -> None:
        self._publisher.cancel()
        self._stop_reason = self._stop_reason or "the container ends"
        if self._program is not None:  # whoever ends us may do so for the memory that it has now
            await self._program.measure()
            self._tell_state()
        grace = self._orders.config.get("xlearning.container.stop.grace")
        await asyncio.gather(
            *(part.stop(grace) for part in (self._program,) if part is not None),
            *(board.stop() for board in (self._board,) if board is not None),
        )
        if self._launch_task is not None:
            await asyncio.wait({self._launch_task}, timeout=_FAREWELL)
        await self._publisher.end_save(_FAREWELL)
        self._voice.farewell()
        self._session.close()
        await asyncio.wait({conversation}, timeout=_FAREWELL)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        swept = await blocking.call(lambda: sweep_descendants(grace), name="sweep")
        if swept:
            log.warning("%d processes had been left behind and were ended", swept)
        self._release_ports()

    def _release_ports(self) -> None:
        for port in self._ports:
            port.release()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a fault of the agent", exc_info=error)
            reason = f"a fault of the agent: {error!r}"
            if task is self._launch_task:  # nobody else tells of the program's end
                self._voice.say(process_exited=pb.ProcessExited(exit_code=_FAULT, reason=clean(reason)))
            self._leave(ABANDONED, reason)


def _exited(end: Exited, reason: str) -> pb.ProcessExited:
    return pb.ProcessExited(
        exit_code=end.exit.code, reason=clean(reason), last_lines=clean_all(end.last_lines)
    )
