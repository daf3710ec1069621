"""What a program writes to its standard output, on its way into the files of an output format."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import fcntl
import logging
import os
import select
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xlearning.config import Config
from xlearning.container import blocking
from xlearning.container.amount import Amount
from xlearning.container.outputs.spool import Spool
from xlearning.container.process import OUTPUT_DRAIN, ProcessExit
from xlearning.container.voice import words
from xlearning.errors import UsageError, XLearningError
from xlearning.fs import FileSystems
from xlearning.job import SinkSpec

if TYPE_CHECKING:
    from xlearning.container.outputs.upload import Published
    from xlearning.formats.output.base import BytesWriter, RecordWriter

log = logging.getLogger(__name__)

_PIPE = 1 << 20  # bytes that wait for us
_LOOK = 200  # milliseconds
_UNWRITABLE = os.EX_IOERR  # exit code of a program whose output could not be written, if it gave none itself
_LF = b"\n"


class Unwritable(XLearningError):
    """The output cannot be written; the message names the file."""


class Sink:
    """The pipe from a program, and the work of emptying it.

    Use it in a ``with`` block around the start of the program: the end that the program writes to is
    then closed on our side.

    Attributes
    ----------
    write_end : int
        File descriptor for the program.
    """

    def __init__(self, spec: SinkSpec, work: Path, fss: FileSystems, config: Config) -> None:
        self._spec, self._config = spec, config
        self._spool = Spool(spec, work / ".xl-parts", fss, config, self._stored_badly)
        self._stop: Callable[[], None] = _nothing
        self._loop = asyncio.get_running_loop()
        self._failure: Unwritable | None = None
        self._ended = threading.Event()
        self._lines: _Lines | _Bytes | None = None
        self._task: asyncio.Task[None] | None = None
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        with contextlib.suppress(OSError):  # a user has only so much memory for pipes
            fcntl.fcntl(self.write_end, fcntl.F_SETPIPE_SZ, _PIPE)

    def __enter__(self) -> Sink:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        os.close(self.write_end)
        if error is not None:
            os.close(self._read_end)

    @property
    def amount(self) -> Amount:
        """Files and bytes that are stored so far."""
        return self._spool.amount

    @property
    def failed(self) -> bool:
        """Whether something could not be written, for which the program is stopped."""
        return self._failure is not None

    def open(self) -> None:
        """Load the format and make its writer. Blocks.

        Raises
        ------
        XLearningError
            See `xlearning.formats.output.base.OutputFormat.writer`.
        """
        from xlearning.formats.output.base import BytesWriter
        from xlearning.formats.output.registry import output_format

        writer = output_format(self._spec.format, self._config).writer(self._spool)
        if isinstance(writer, BytesWriter):
            self._lines = _Bytes(writer)
        else:
            self._lines = _Lines(writer, self._config.get("xlearning.outputformat.line.maxsize"))

    def start(self, stop: Callable[[], None]) -> None:
        """Begin to empty the pipe.

        Parameters
        ----------
        stop : callable
            Orders the program to stop; called when its output cannot be written.
        """
        self._stop = stop
        self._task = asyncio.create_task(blocking.call(self._relay, name="stdout"))

    async def judge(self, end: ProcessExit) -> ProcessExit:
        """The end of the program, which is a failure if its output could not be written."""
        assert self._task is not None
        self._ended.set()
        await self._task
        if self._failure is None:
            try:
                self._spool.check()
            except Exception as error:  # noqa: BLE001 - whatever kept a part from being stored
                self._failure = self._unwritable(error)
            else:
                return _told(end)
        reason = f"its output could not be written: {self._failure}"
        return dataclasses.replace(end, code=end.code or _UNWRITABLE, reason=reason)

    def finish(self) -> Published:
        """Write and store what is left. Blocks; to be called once, after the end of the program.

        Raises
        ------
        Unwritable
            Something could not be written or stored.
        """
        assert self._lines is not None
        if self._failure is not None:
            raise self._failure
        try:
            self._lines.close()
            return self._spool.finish()
        except Exception as error:
            raise self._unwritable(error) from error

    def abandon(self) -> None:
        """Throw away what is not stored; nothing more is written."""
        self._spool.abandon()

    def _relay(self) -> None:
        """Empty the pipe until everybody has closed it, or has ended and left it empty."""
        assert self._lines is not None
        poll = select.poll()
        poll.register(self._read_end, select.POLLIN)
        try:
            while True:
                ended = self._ended.is_set()  # before the look: what it finds is then all there is
                if poll.poll(_LOOK):
                    data = os.read(self._read_end, _PIPE)
                    if not data:
                        return
                    self._lines.feed(data)
                elif ended:  # something that cannot be killed holds it
                    return
        except Exception as error:  # noqa: BLE001 - whatever it is, the program must not wait for ever
            self._fail(error)
        finally:
            os.close(self._read_end)

    def _stored_badly(self) -> None:
        """A part could not be stored; the next one would say so, but the program need not go on till then."""
        self._loop.call_soon_threadsafe(self._stop)

    def _fail(self, error: Exception) -> None:
        self._failure = self._unwritable(error)
        if self._spool.abandoned:  # the container ends, and its program is being stopped
            return
        known = isinstance(error, (XLearningError, OSError))
        log.error("%s", self._failure, exc_info=None if known else error)
        self._loop.call_soon_threadsafe(self._stop)

    def _unwritable(self, error: Exception) -> Unwritable:
        return Unwritable(f"{self._spool.place}: {words(error)}")


class _Bytes:
    """Hands over the output as it comes."""

    def __init__(self, writer: BytesWriter) -> None:
        self._writer = writer
        self._last = _LF

    def feed(self, data: bytes) -> None:
        self._writer.write_bytes(data)
        self._last = data[-1:]

    def close(self) -> None:
        if self._last != _LF:
            self._writer.write_bytes(_LF)
        self._writer.close()


class _Lines:
    """Hands over the output line by line."""

    def __init__(self, writer: RecordWriter, longest: int) -> None:
        self._writer, self._longest = writer, longest
        self._held: list[bytes] = []  # of a line whose end has not come yet
        self._size = 0

    def feed(self, data: bytes) -> None:
        end = data.rfind(_LF)
        if end >= 0:
            lines = b"".join((*self._held, data[:end])).split(_LF)
            self._held, self._size = [], 0
            self._write(lines)
        if end + 1 < len(data):
            self._held.append(data[end + 1 :])
            self._size += len(data) - end - 1
            self._check(self._size)

    def close(self) -> None:
        if self._held:
            self._write([b"".join(self._held)])
        self._writer.close()

    def _write(self, lines: Sequence[bytes]) -> None:
        self._check(max(map(len, lines)))
        self._writer.write(lines)

    def _check(self, size: int) -> None:
        if size > self._longest:
            raise UsageError(
                f"a line of at least {size} bytes is longer than xlearning.outputformat.line.maxsize",
                hint="end lines with LF, or allow longer ones",
            )


def _told(end: ProcessExit) -> ProcessExit:
    """``end`` with words for output that may be missing."""
    if not end.swept:
        return end
    many = "1 process" if end.swept == 1 else f"{end.swept} processes"
    reason = (
        f"{many} outlived the program by {OUTPUT_DRAIN:g} s, or its stop, and had to be ended: "
        "what they had not printed by then is not in its output"
    )
    log.warning("%s", reason)
    return dataclasses.replace(end, reason="; ".join(filter(None, (end.reason, reason))))


def _nothing() -> None:
    """The program does not run yet."""
