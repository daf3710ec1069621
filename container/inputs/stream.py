"""Feeding a program's standard input from the splits of its input."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import fcntl
import logging
import os
import threading
from collections.abc import Callable, Iterator

from xlearning.config import Config
from xlearning.container import blocking
from xlearning.container.process import ProcessExit
from xlearning.container.voice import words
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.job import InputSplit, StreamSpec

log = logging.getLogger(__name__)

_PIPE = 1 << 20  # bytes that wait for the program
_UNREADABLE = os.EX_IOERR  # exit code of a program whose input could not be read, if it gave none itself


class Unreadable(XLearningError):
    """The input cannot be read; the message names the file and the place in it."""


class _NobodyReads(Exception):
    """The program has closed its standard input, or has ended."""


class Feeder:
    """The pipe to a program, and the work of filling it.

    Use it in a ``with`` block around the start of the program: the end that the program reads is then
    closed on our side. `run` closes the other end, unless the input cannot be read.

    Attributes
    ----------
    read_end : int
        File descriptor for the program.
    """

    def __init__(self, spec: StreamSpec, fss: FileSystems, config: Config) -> None:
        self._spec = spec
        self._fss = fss
        self._config = config
        self._retry_time: float = config.get("xlearning.fs.retry.time")
        self._cancel = threading.Event()
        self._total = max(1, spec.epochs * sum(split.length for split in spec.splits))
        self._done = 0  # bytes of whole splits
        self._part = 0  # bytes of the present one
        self.read_end, self._write_end = os.pipe()
        with contextlib.suppress(OSError):  # a user has only so much memory for pipes
            fcntl.fcntl(self._write_end, fcntl.F_SETPIPE_SZ, _PIPE)

    def __enter__(self) -> Feeder:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        os.close(self.read_end)
        if error is not None:
            self.close()

    @property
    def share(self) -> float:
        """How much was fed so far, 0..1; what waits in the pipe counts."""
        return min(1.0, (self._done + self._part) / self._total)

    def run(self) -> None:
        """Feed everything, then close. Blocks as long as the program takes.

        A program that reads no more is no error.

        Raises
        ------
        Unreadable
            The input cannot be read. The pipe stays open: its end would look like that of the input.
        """
        try:
            for _ in range(self._spec.epochs):
                for split in self._spec.splits:
                    self._feed(split)
                    self._done, self._part = self._done + split.length, 0
        except _NobodyReads:
            log.info("the program reads no more input")
        except Unreadable:
            if not self._cancel.is_set():
                raise
        self.close()

    def cancel(self) -> None:
        """End `run` from another thread, as soon as it no longer waits for a file system."""
        self._cancel.set()

    def close(self) -> None:
        """Close our end; only while `run` does not run."""
        os.close(self._write_end)

    def _feed(self, split: InputSplit) -> None:
        for piece in self._pieces(split):
            left = memoryview(piece)
            while left:
                try:
                    written = os.write(self._write_end, left)
                except BrokenPipeError as error:
                    raise _NobodyReads from error
                left = left[written:]
                self._part = min(split.length, self._part + written)

    def _pieces(self, split: InputSplit) -> Iterator[bytes]:
        from xlearning.formats.framing import pieces  # not loaded by programs that are not fed
        from xlearning.formats.registry import input_format
        from xlearning.formats.source import Files
        from xlearning.fs.retry import Cancelled

        reading = Files(self._fss, retry_time=self._retry_time, cancel=self._cancel)
        try:
            yield from pieces(input_format(self._spec.format, self._config), split, reading)
        except Cancelled as error:
            raise _NobodyReads from error
        except (XLearningError, OSError) as error:
            raise Unreadable(f"{reading.place or split.uri}: {words(error)}") from error


class Feed:
    """A feeder at work beside its program.

    Parameters
    ----------
    stop : callable
        Orders the program to stop; called when its input cannot be read, for a program that went on
        would work with a part of its input.
    """

    def __init__(self, feeder: Feeder, stop: Callable[[], None]) -> None:
        self._feeder = feeder
        self._stop = stop
        self._failure = ""
        self._task = asyncio.create_task(self._run())

    @property
    def share(self) -> float:
        """See `Feeder.share`."""
        return self._feeder.share

    def judge(self, end: ProcessExit) -> ProcessExit:
        """The end of the program, which is a failure if its input could not be read. Ends the feeding."""
        self._feeder.cancel()
        self._task.cancel()
        if not self._failure:
            return end
        self._feeder.close()
        return dataclasses.replace(
            end, code=end.code or _UNREADABLE, reason=f"its input could not be read: {self._failure}"
        )

    async def _run(self) -> None:
        try:
            await blocking.call(self._feeder.run, name="stdin")
        except Exception as error:  # whatever it is, the program must not wait for ever
            self._failure = words(error)
            log.error("%s", self._failure, exc_info=None if isinstance(error, Unreadable) else error)
            self._stop()
