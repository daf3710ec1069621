"""The agent's handle of the user process, which runs below a guardian."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from xlearning.cluster.exit_words import words
from xlearning.container import blocking, guardian

DRAIN = 0.5  # seconds in which what a program leaves behind (a `tee`, say) may end by itself
OUTPUT_DRAIN = 10.0  # the same where it may have output of the job to write
_GUARDIANS: set[int] = set()
_LOOK = 1.0  # seconds between two looks at a guardian that has not told of the start yet


@dataclass(frozen=True)
class ProcessExit:
    """How a user process ended.

    Attributes
    ----------
    code : int
        As the shell counts: 126 or 127 when it could not be started, 128 + n for signal n.
    reason : str
        The same in words; empty for code 0.
    swept : int
        Processes of the program that outlived it and were ended.
    """

    code: int
    reason: str
    swept: int = 0


@dataclass(frozen=True)
class After:
    """A command that ends what a program started elsewhere than below itself.

    Attributes
    ----------
    environ : mapping
        Its whole environment.
    log : Path
        Takes what it says.
    """

    command: Sequence[str]
    environ: Mapping[str, str]
    log: Path

    def spec(self) -> dict[str, object]:
        """As the guardian reads it."""
        log = str(self.log.absolute())
        return {"command": list(self.command), "env": dict(self.environ), "cwd": "/", "log": log}

    def run(self) -> None:
        """Run it from here, where there is no guardian any more. Blocks."""
        with open(guardian.open_log(str(self.log)), "ab") as log:
            try:
                subprocess.run(
                    self.command, env=self.environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    timeout=guardian.AFTER_TIME, check=False,
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as error:
                log.write(f"{error}\n".encode())


def become_subreaper() -> None:
    """Make this process the parent of every orphan below it; the agent does so before anything else."""
    guardian.prctl(guardian.PR_SET_CHILD_SUBREAPER, 1)


def sweep_descendants(grace: float, keep: Collection[int] = ()) -> int:
    """End every orphan that this process has inherited, and all below: TERM, ``grace`` seconds, KILL.

    Orphans are children in another session than ours; a child that we started has our session, is
    the guardian of a `UserProcess`, or is named in ``keep``. Blocks until nothing is left (or, with
    processes that withstand KILL, 10 s longer than ``grace``).

    Returns
    -------
    int
        How many processes were ended.
    """
    sweep = guardian.Sweep(lambda: _orphans(keep), grace)
    for pause in _sweeping(sweep):
        time.sleep(pause)
    return len(sweep.seen)


def _sweeping(sweep: guardian.Sweep) -> Iterator[float]:
    """Sweep step by step; yields the seconds to wait before the next step."""
    sweep.order(sweep.grace)
    # One that has just been collected may have left us its own children: only an empty list is the end.
    while (children := sweep.children()) and not sweep.stuck:
        if _reap(children):
            pause = sweep.step()
            yield pause if sweep.rounds else min(pause, 0.02)


def _orphans(keep: Collection[int]) -> list[int]:
    session = os.getsid(0)
    orphans = []
    for pid in guardian.own_children():
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(pid) != session and pid not in keep and pid not in _GUARDIANS:
                orphans.append(pid)
    return orphans


def _reap(children: Sequence[int]) -> bool:
    """Collect those that have ended; whether any is left."""
    left = False
    for pid in children:
        try:
            left |= os.waitpid(pid, os.WNOHANG)[0] == 0
        except ChildProcessError:  # collected in the meantime
            continue
    return left


class UserProcess:
    """A running user process with its guardian; made by `start`.

    Attributes
    ----------
    pid : int or None
        Of the user process; None when it could not be started.
    """

    def __init__(self, process: subprocess.Popen[bytes], grace: float, after: After | None) -> None:
        self.pid: int | None = None
        self._process = process
        self._grace = grace
        self._after = after
        self._started = asyncio.Event()
        self._ended: asyncio.Future[ProcessExit] = asyncio.get_running_loop().create_future()
        self._orders: asyncio.WriteTransport | None = None
        self._follower: asyncio.Task[ProcessExit] | None = None

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        stdout: Path | int,
        stderr: Path,
        grace: float = 2.0,
        stdin: int | None = None,
        drain: float = DRAIN,
        after: After | None = None,
    ) -> UserProcess:
        """Start ``command`` below a guardian; returns when it runs or has failed to.

        A command that cannot be started is no error here: ``pid`` stays None and `wait` answers
        with code 126 or 127 and the reason.

        Parameters
        ----------
        command : sequence of str
            Program and arguments, run without a shell; looked up along the PATH of ``env``.
        env : mapping
            The whole environment of the program.
        cwd : Path
            Its working folder.
        stdout, stderr : Path
            Files its output is appended to; made when missing. For stdout also a file descriptor, of
            which the caller closes its own copy.
        grace : float
            Seconds from TERM to KILL when it is stopped without other orders.
        stdin : int, optional
            File descriptor of what it reads; the caller closes its own copy. Default: nothing to read.
        drain : float
            Seconds in which what it leaves behind may end by itself.
        after : After, optional
            Run when the program has ended, in whatever way, before that is told.
        """
        become_subreaper()
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", guardian.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
            pass_fds=[pipe for pipe in (stdin, stdout) if isinstance(pipe, int)],
        )
        _GUARDIANS.add(process.pid)
        self = cls(process, grace, after)
        spec = {
            "command": list(command),
            "env": dict(env),
            "cwd": str(cwd.absolute()),
            "stdout": stdout if isinstance(stdout, int) else str(stdout.absolute()),
            "stderr": str(stderr.absolute()),
            "grace": grace,
            "stdin": stdin,
            "drain": drain,
            "after": after and after.spec(),
        }
        await self._connect(json.dumps(spec).encode() + b"\n")
        while not self._started.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._started.wait(), _LOOK)
            self.wake_guardian()  # a program may have stopped it before it could tell of the start
        return self

    @property
    def guardian_pid(self) -> int:
        """Process id of the guardian."""
        return self._process.pid

    async def wait(self) -> ProcessExit:
        """Wait until the program and everything that came out of it has ended."""
        assert self._follower is not None
        return await asyncio.shield(self._follower)

    async def wait_alone(self) -> ProcessExit:
        """Wait until the program has ended by itself, while something of it is left, or to be done.

        Else this never returns.
        """
        return await asyncio.shield(self._ended)

    async def stop(self, grace: float | None = None) -> ProcessExit:
        """Stop the program (TERM, ``grace`` seconds, KILL) and wait for its end.

        Parameters
        ----------
        grace : float, optional
            Seconds; default that of `start`. A later call can only make the end come sooner.
        """
        self.order_stop(grace)
        return await self.wait()

    def order_stop(self, grace: float | None = None) -> None:
        """Order the stop without waiting for it; see `stop`."""
        if self._orders is not None and not self._orders.is_closing():
            order = {"stop": self._grace if grace is None else grace}
            self._orders.write(json.dumps(order).encode() + b"\n")

    def wake_guardian(self) -> None:
        """Let the guardian run on if somebody has stopped it: it would never tell of the program's end."""
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(self._process.pid)
            if process.status() == psutil.STATUS_STOPPED:
                process.send_signal(signal.SIGCONT)

    def tree(self) -> list[psutil.Process]:
        """The processes of the program that live now, those that left its group or session too."""
        try:
            return psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    async def _connect(self, spec: bytes) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        source, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self._process.stdout
        )
        self._orders, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._process.stdin)
        self._orders.write(spec)
        self._follower = asyncio.create_task(self._follow(reader, source))

    async def _follow(self, reader: asyncio.StreamReader, source: asyncio.ReadTransport) -> ProcessExit:
        try:
            return await self._read_reports(reader) or await self._guardian_died()
        finally:
            self._started.set()
            source.close()
            if self._orders is not None:
                self._orders.close()

    async def _read_reports(self, reader: asyncio.StreamReader) -> ProcessExit | None:
        """The end as the guardian reports it; None when it died first."""
        end: ProcessExit | None = None
        while line := await reader.readline():
            message = json.loads(line)
            if "started" in message:
                self.pid = message["started"]
                self._started.set()
            elif "ended" in message:
                self._ended.set_result(ProcessExit(message["ended"], _reason(message["ended"])))
            elif "failed" in message:
                end = ProcessExit(message["code"], message["failed"])
            else:
                end = _ended(message)
                if message["left"]:
                    return end
        while self._process.poll() is None:
            await asyncio.sleep(0.002)
        _GUARDIANS.discard(self._process.pid)
        return end

    async def _guardian_died(self) -> ProcessExit:
        """Its death has killed the program; what that leaves behind is ours now."""
        sweep = guardian.Sweep(lambda: _orphans(()), self._grace)
        for pause in _sweeping(sweep):
            await asyncio.sleep(pause)
        if self._after is not None:
            await blocking.call(self._after.run, name="after")
        reason = f"its guardian (pid {self._process.pid}) died: {words(self._guardian_code())}"
        return ProcessExit(128 + signal.SIGKILL, reason, len(sweep.seen - {self.pid}))

    def _guardian_code(self) -> int:
        code = self._process.returncode
        return 128 - code if code < 0 else code


def _reason(code: int) -> str:
    return words(code) if code else ""


def _ended(message: Mapping[str, int]) -> ProcessExit:
    code = message["exited"]
    reason = _reason(code)
    if message["left"]:
        reason = f"{reason or 'exit code 0'}; {message['left']} of its processes cannot be killed"
    return ProcessExit(code, reason, message["swept"])
