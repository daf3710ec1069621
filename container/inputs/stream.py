"""Feeding a program's standard input from the splits of its input."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import fcntl
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from xlearning.config import Config
from xlearning.container import blocking
from xlearning.container.amount import Amount
from xlearning.container.inputs.cache import EpochCache
from xlearning.container.inputs.lanes import Lanes, Stopped
from xlearning.container.paths import inside
from xlearning.container.process import ProcessExit
from xlearning.container.voice import words
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.job import StreamSpec
from xlearning.units import format_bytes

log = logging.getLogger(__name__)

_PIPE = 1 << 20  # bytes that wait for the program
_LAST_LOOK = 1.0  # seconds to find out whether a program that has ended left input unread
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

    def __init__(self, spec: StreamSpec, fss: FileSystems, config: Config, work: Path) -> None:
        self._spec = spec
        self._fss = fss
        self._config = config
        self._work = work
        self._retry_time: float = config.get("xlearning.fs.retry.time")
        self._prefetch: int = config.get("xlearning.input.prefetch")
        threads: int = config.get("xlearning.input.reader.threads")
        self._lanes = Lanes(self._pieces, threads, self._prefetch)
        self._ended, self._cancel = threading.Event(), threading.Event()
        self._total = spec.epochs * sum(split.length for split in spec.splits)
        self._done = 0  # bytes of whole splits
        self._part = 0  # bytes of the present one
        self._all = False
        self._untold = threading.Lock()  # held by the one who told
        self._amount = Amount(total_size=self._total)
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
        return 1.0 if self._all else min(1.0, (self._done + self._part) / max(1, self._total))

    @property
    def moving(self) -> Amount | None:
        """How much was fed of how much, and how fast; None once all is."""
        self._amount.update(0, min(self._total, self._done + self._part))
        return None if self._all else self._amount

    def run(self) -> None:
        """Feed everything, then close. Blocks as long as the program takes.

        A program that reads no more is no error.

        Raises
        ------
        Unreadable
            The input cannot be read. The pipe stays open: its end would look like that of the input.
        """
        try:
            self._run_epochs()
            self._all = True
        except _NobodyReads:
            self._tell_unread()
        except Stopped:
            log.debug("feeding has stopped")
        except Unreadable:
            if not self._ended.is_set():
                raise
            self._tell_unread()
        finally:
            self._lanes.stop()
            self._release()
        self.close()

    def ended(self) -> None:
        """Take note that the program has ended; `run` finds in the pipe whether it has left input unread."""
        self._ended.set()

    def give_up(self) -> None:
        """End `run` from another thread, as soon as it no longer waits for a file system."""
        if self._done + self._part < self._total:
            self._tell_unread()
        self._cancel.set()
        self._lanes.stop()

    def close(self) -> None:
        """Close our end; only while `run` does not run."""
        os.close(self._write_end)

    def _tell_unread(self) -> None:
        if self._untold.acquire(blocking=False):
            fed = format_bytes(self._done + self._part)
            log.warning("the program read no more after %s of %s", fed, format_bytes(self._total))

    def _release(self) -> None:
        from xlearning.formats.registry import release

        release()

    def _run_epochs(self) -> None:
        from xlearning.formats.deal import epoch_order  # not loaded by programs that are not fed

        cache = self._cache()
        try:
            for epoch in range(self._spec.epochs):
                order = epoch_order(len(self._spec.splits), self._spec.seed, epoch)
                if epoch and cache is not None and all(map(cache.has, order)):
                    self._feed_again(order, cache)
                else:
                    self._feed(order, None if epoch else cache)
        finally:
            if cache is not None:
                cache.close()

    def _cache(self) -> EpochCache | None:
        if self._spec.epochs == 1 or not self._config.get("xlearning.inputformat.cache"):
            return None
        name = self._config.get("xlearning.inputformat.cachefile.name")
        limit = self._config.get("xlearning.inputformat.cachesize.limit") << 20
        return EpochCache(inside(self._work, name, "cache file"), limit)

    def _feed(self, order: Sequence[int], cache: EpochCache | None) -> None:
        for number, pieces in self._read(order):
            for piece in pieces if cache is None else cache.kept(number, pieces):
                left = memoryview(piece)
                while left:
                    written = self._write(left)
                    left = left[written:]
                    self._count(number, written)
            self._finish(number)

    def _read(self, order: Sequence[int]) -> Iterator[tuple[int, Iterator[bytes]]]:
        if self._prefetch:
            return self._lanes.splits(order)
        return ((number, self._pieces(number)) for number in order)

    def _feed_again(self, order: Sequence[int], cache: EpochCache) -> None:
        for number in order:
            try:
                for written in cache.feed(number, self._write_end):
                    self._count(number, written)
            except BrokenPipeError as error:
                raise _NobodyReads from error
            except OSError as error:
                raise Unreadable(f"the cache of the first epoch: {words(error)}") from error
            self._finish(number)

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._write_end, data)
        except BrokenPipeError as error:
            raise _NobodyReads from error

    def _count(self, number: int, written: int) -> None:
        self._part = min(self._spec.splits[number].length, self._part + written)

    def _finish(self, number: int) -> None:
        self._done, self._part = self._done + self._spec.splits[number].length, 0

    def _pieces(self, number: int) -> Iterator[bytes]:
        from xlearning.formats.framing import Framing, pieces
        from xlearning.formats.registry import input_format
        from xlearning.formats.source import Files
        from xlearning.fs.retry import Cancelled

        split = self._spec.splits[number]
        reading = Files(self._fss, retry_time=self._retry_time, cancel=self._cancel)
        try:
            format_ = input_format(self._spec.format, self._config)
            yield from pieces(format_, split, reading, Framing.of(self._config))
        except Cancelled as error:
            raise Stopped from error
        except Exception as error:  # whatever a reader stumbles over, the place is what people need
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

    @property
    def moving(self) -> Amount | None:
        """See `Feeder.moving`."""
        return self._feeder.moving

    @property
    def failed(self) -> bool:
        """Whether something could not be read, for which the program is stopped."""
        return bool(self._failure)

    async def judge(self, end: ProcessExit) -> ProcessExit:
        """The end of the program, which is a failure if its input could not be read. Ends the feeding."""
        self._feeder.ended()
        await asyncio.wait({self._task}, timeout=_LAST_LOOK)
        if not self._task.done():
            self._feeder.give_up()
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
            expected = isinstance(error, Unreadable) and isinstance(
                error.__cause__, (XLearningError, OSError)
            )
            log.error("%s", self._failure, exc_info=None if expected else error)
            self._stop()
