"""TensorBoard or VisualDL beside the user's program. Whatever goes wrong here never harms the job."""

from __future__ import annotations

import asyncio
import functools
import logging
import threading
from collections.abc import Callable

from xlearning.config import Config
from xlearning.container import blocking, board_files, board_program, ports
from xlearning.container.board_program import BoardPlace
from xlearning.container.logs import last_lines
from xlearning.container.process import UserProcess
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.job import BoardSpec

log = logging.getLogger(__name__)

_START = 120.0  # seconds until it must answer; its imports can be slow on a busy node
_LOOK = 0.25
_GRACE = 1.0
_KEEPING = 60.0  # seconds for the upload, for which the end of the program is not told
_HURRY = 3.0  # and once the container is to end, which is soon done by force
_LEAVING = 0.5  # and when its agent leaves, which has to tell how the program has ended first


class Board:
    """One board, in its own session below a guardian of its own.

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
        self._url = self._page = ""
        self._log = place.log_dir / f"{spec.program.lower()}.log"
        self._process: UserProcess | None = None
        self._port: ports.HeldPort | None = None
        self._stopping = False
        self._hurry = asyncio.Event()
        self._give_up = threading.Event()

    async def run(self) -> None:
        """Start the board, report its address, and report its end should it come too early."""
        try:
            port, process = await self._start()
            note = await self._watch(port, process)
        except Exception as error:  # whatever it is, the job goes on
            known = isinstance(error, (XLearningError, OSError))
            note = f"{self._spec.program} cannot be started: {error if known else repr(error)}"
            log.info("no board", exc_info=None if known else error)
        if not self._stopping:
            log.warning("%s", note)
            self._url = ""
            self._tell("", note)

    async def stop(self) -> None:
        """End the board with all of its processes, and whatever is on its way to the history."""
        self._stopping = True
        self._give_up.set()
        self._hurry.set()
        if self._process is not None:
            await self._process.stop(_GRACE)
        if self._port is not None:
            self._port.release()

    def hurry(self) -> None:
        """The container is to end: what `keep` has not done in a few seconds is left."""
        self._hurry.set()

    async def keep(self, fss: FileSystems) -> None:
        """Take the event files to the history, once the program has ended. Never fails."""
        folder = self._spec.log_dir
        if not self._spec.history or "://" in folder or folder.startswith("/"):
            return  # files in a shared folder stay there
        user = self._place.environment.get("HADOOP_USER_NAME") or self._place.environment.get("USER", "")
        work = functools.partial(
            board_files.keep,
            *(fss, self._place.work / folder, self._spec.history, user, self._config, self._give_up),
        )
        upload = asyncio.ensure_future(blocking.call(work, name="board"))
        hurry = asyncio.ensure_future(self._hurry.wait())
        try:
            await asyncio.wait({upload, hurry}, timeout=_KEEPING, return_when=asyncio.FIRST_COMPLETED)
            if self._hurry.is_set():
                await asyncio.wait({upload}, timeout=_LEAVING if self._stopping else _HURRY)
            note = self._kept(upload)
        finally:
            hurry.cancel()
            self._give_up.set()
            upload.cancel()
        if note:
            log.info("%s", note)
            self._tell(self._url, note)

    def _kept(self, upload: asyncio.Future[int]) -> str:
        """What became of the upload, for people; empty where there was nothing to be taken."""
        name = self._spec.program
        if not upload.done():
            return f"the files of {name} were not kept: there was no time left"
        if (error := upload.exception()) is not None:
            return f"the files of {name} were not kept: {error}"
        return f"the files of {name} are kept in {self._spec.history}" if upload.result() else ""

    async def _start(self) -> tuple[int, UserProcess]:
        command, environment, folder = await blocking.call(
            lambda: board_program.find(self._spec, self._place, self._config), name="board"
        )
        self._page = board_program.page(self._spec, self._place, command[0])
        begin, end = (self._config.get(name) for name in (ports.PROPERTY_BEGIN, ports.PROPERTY_END))
        held = await blocking.call(lambda: ports.reserve(self._place.host, 1, begin, end), name="ports")
        self._port = held[0]  # both programs set SO_REUSEADDR, and so can listen there
        port = self._port.port
        words = [*command, *board_program.arguments(self._spec, self._place, self._config, command[0], port)]
        log.info("starting %s", words)
        self._process = await UserProcess.start(
            words, environment, folder, self._log, self._log, grace=_GRACE
        )
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
                    return f"{self._spec.program} did not answer within {_START:.0f} s"
                await asyncio.wait({end}, timeout=_LOOK)
            if not end.done():
                self._url = f"http://{self._place.host}:{port}/{self._page}"
                self._tell(self._url, "")
            reason = (await end).reason
        finally:
            end.cancel()
        lines = last_lines([self._log], count=1)
        return ": ".join([f"{self._spec.program} has ended", *filter(None, [reason]), *lines])


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
