"""TensorBoard beside the user's program. Whatever goes wrong here never harms the job."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning.config import Config
from xlearning.container import blocking, ports
from xlearning.container.logs import last_lines
from xlearning.container.process import UserProcess
from xlearning.errors import XLearningError
from xlearning.job import BoardSpec

log = logging.getLogger(__name__)

_LOG = "tensorboard.log"
_START = 120.0  # seconds until it must answer; its imports can be slow on a busy node
_LOOK = 0.25
_GRACE = 1.0


@dataclass(frozen=True)
class BoardPlace:
    """Where TensorBoard runs: folders, the user's environment, and the address it listens on."""

    work: Path
    log_dir: Path
    host: str
    environment: Mapping[str, str]
    pythonpath: str  # of our own interpreter; needed where our TensorBoard must do


class Board:
    """One TensorBoard, in its own session below a guardian of its own.

    Parameters
    ----------
    tell : callable
        Called with (url, note): the address once it answers, or an empty one and why there is none.
    """

    def __init__(
        self, spec: BoardSpec, place: BoardPlace, config: Config, tell: Callable[[str, str], None]
    ) -> None:
        self._spec = spec
        self._place = place
        self._config = config
        self._tell = tell
        self._process: UserProcess | None = None
        self._stopping = False

    async def run(self) -> None:
        """Start TensorBoard, report its address, and report its end should it come too early."""
        try:
            port, process = await self._start()
            note = await self._watch(port, process)
        except (XLearningError, OSError) as error:
            note = f"TensorBoard cannot be started: {error}"
        if not self._stopping:
            log.warning("%s", note)
            self._tell("", note)

    async def stop(self) -> None:
        """End TensorBoard and all of its processes."""
        self._stopping = True
        if self._process is not None:
            await self._process.stop(_GRACE)

    async def _start(self) -> tuple[int, UserProcess]:
        program, environment, folder = self._program()
        begin, end = (self._config.get(name) for name in (ports.PROPERTY_BEGIN, ports.PROPERTY_END))
        held = await blocking.call(lambda: ports.reserve(self._place.host, 1, begin, end), name="ports")
        port = held[0].port
        held[0].release()  # TensorBoard sets no option that would let it share the port
        command = [*program, *self._arguments(port)]
        log.info("starting %s", command)
        output = self._place.log_dir / _LOG
        self._process = await UserProcess.start(command, environment, folder, output, output, grace=_GRACE)
        if self._stopping:
            await self._process.stop(_GRACE)
        return port, self._process

    async def _watch(self, port: int, process: UserProcess) -> str:
        """Report the address once it answers; why there is none (any more) when it has ended."""
        end = asyncio.ensure_future(process.wait())
        deadline = asyncio.get_running_loop().time() + _START
        try:
            while not end.done() and not await _serves(self._place.host, port):
                if asyncio.get_running_loop().time() > deadline:
                    await process.stop(_GRACE)
                    return f"TensorBoard did not answer within {_START:.0f} s"
                await asyncio.wait({end}, timeout=_LOOK)
            if not end.done():
                self._tell(f"http://{self._place.host}:{port}/", "")
            reason = (await end).reason
        finally:
            end.cancel()
        lines = last_lines([self._place.log_dir / _LOG], count=1)
        return ": ".join(["TensorBoard has ended", *filter(None, [reason]), *lines])

    def _program(self) -> tuple[Sequence[str], Mapping[str, str], Path]:
        """The user's TensorBoard when there is one (it may know more plugins), else our own.

        Command, environment, and the folder to start in: ``-m`` would take modules out of the
        user's folder for its own.
        """
        wanted = self._config.get("xlearning.tf.board.path")
        environment = self._place.environment
        found = shutil.which(self._local(wanted), path=environment.get("PATH"))
        if found:
            return [found], environment, self._place.work
        if wanted == "tensorboard" and importlib.util.find_spec("tensorboard"):
            ours = {k: v for k, v in environment.items() if k != "PYTHONPATH"}
            if self._place.pythonpath:
                ours["PYTHONPATH"] = self._place.pythonpath
            return [sys.executable, "-m", "tensorboard.main"], ours, self._place.log_dir
        raise XLearningError(
            f"program {wanted!r} was not found along {environment.get('PATH')}",
            hint="set xlearning.tf.board.path, or put TensorBoard into the program's environment",
        )

    def _local(self, program: str) -> str:
        """A path with a folder is relative to the working folder, as the user's command is."""
        return str(self._place.work / program) if "/" in program else program

    def _arguments(self, port: int) -> list[str]:
        folder = self._spec.log_dir
        logdir = folder if "://" in folder else str(self._place.work / folder)
        values = {
            "logdir": logdir,
            "host": self._place.host,
            "port": port,
            "reload_interval": self._spec.reload_interval,
        }
        return [f"--{name}={value}" for name, value in values.items()]


async def _serves(host: str, port: int) -> bool:
    """Whether something answers HTTP there."""
    writer = None
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), 2.0)
        writer.write(f"GET / HTTP/1.0\r\nHost: {host}:{port}\r\n\r\n".encode())
        return (await asyncio.wait_for(reader.readline(), 10.0)).startswith(b"HTTP/")
    except (OSError, asyncio.TimeoutError):
        return False
    finally:
        if writer is not None:
            writer.close()
