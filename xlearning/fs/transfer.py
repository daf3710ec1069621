"""Downloads and uploads of many files: parallel, patient, and never half.

Every file gets a temporary name first and its own name once all of its bytes are there. What fails
because the file system is away, or because a download finds the disk full, is repeated until nothing has
moved forward for ``retry_time`` seconds.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from xlearning.errors import StorageError, StorageUnavailable, UsageError
from xlearning.fs.base import FileSystem, join
from xlearning.fs.local_tree import scan
from xlearning.fs.parallel import ParallelRun, TransferError
from xlearning.fs.registry import FileSystems
from xlearning.fs.retry import Cancelled, Patience, keep_trying
from xlearning.job import FetchItem

__all__ = ["Cancelled", "TransferError", "TransferResult", "download", "upload"]

OnProgress = Callable[[int, int], None]


class FileWatch(Protocol):
    """Decides about the files of an upload and hears of each; called from several threads."""

    def wants(self, name: str) -> bool:
        """Whether the file, a path relative to the folder, is to be copied."""

    def copied(self, name: str, before: os.stat_result, size: int, *, steady: bool) -> None:
        """``size`` bytes of it were copied. ``steady``: they are all, and nobody wrote to it meanwhile."""


_CHUNK = 1 << 20  # bytes
_FULL = (errno.ENOSPC, errno.EDQUOT)
# HDFS takes half a second to complete a file and needs nothing of ours meanwhile
_COMPLETING_PER_THREAD = 4


@dataclass(frozen=True)
class TransferResult:
    """What a transfer moved."""

    files: int
    bytes: int


def download(
    fss: FileSystems,
    items: Sequence[FetchItem],
    folder: Path,
    *,
    threads: int = 10,
    retry_time: float = 120.0,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
) -> TransferResult:
    """Copy files into a local folder; a file that is there is replaced.

    Parameters
    ----------
    items : sequence of FetchItem
        Full URIs, targets relative to ``folder``, and sizes as listed.
    threads : int
        Files at a time.
    retry_time : float
        Seconds without progress of a file after which it is given up.
    on_progress : callable, optional
        Called as ``on_progress(files, bytes)`` with the sums so far, from worker threads but never by two
        at once, and often.
    cancel : threading.Event, optional
        Set it to give up.

    Raises
    ------
    TransferError
        Files are missing, may not be read, changed since they were listed, or could not be fetched or
        stored.
    UsageError
        Two items have one target, or a target leaves ``folder``.
    Cancelled
        ``cancel`` was set.
    """
    _check_targets(items)
    stop = cancel or threading.Event()
    progress = _Progress(on_progress)
    run = ParallelRun(threads, stop)
    for item in items:
        task = _Download(fss.of(item.uri), item, folder / item.target, retry_time, progress, stop)
        run.add(item.uri, task.run, task.check)
    run.run("downloaded")
    return TransferResult(*progress.sums)


def upload(
    fss: FileSystems,
    folder: Path,
    remote: str,
    *,
    threads: int = 10,
    retry_time: float = 120.0,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
    alive: bool = False,
    watch: FileWatch | None = None,
) -> TransferResult:
    """Copy everything below a local folder to below the URI ``remote``, which is made when missing.

    Empty folders are kept, symbolic links followed, files that are there replaced: it may be repeated.

    Parameters
    ----------
    threads, retry_time, on_progress, cancel
        As in `download`.
    alive : bool
        Somebody is at work in the folder: what vanishes meanwhile is left out, and so is what a file grows
        by while it is copied.
    watch : FileWatch, optional
        May leave files out.

    Raises
    ------
    FileNotFoundError, NotADirectoryError
        ``folder`` is missing or is no folder.
    StorageError
        It holds pipes, sockets, devices, or links that lead nowhere or in a circle; nothing was copied.
    TransferError
        Files could not be read or stored.
    Cancelled
        ``cancel`` was set.
    """
    tree = scan(folder, alive=alive)
    fs, stop = fss.of(remote), cancel or threading.Event()
    progress, slots = _Progress(on_progress), threading.BoundedSemaphore(threads)
    run = ParallelRun(threads * _COMPLETING_PER_THREAD, stop)
    keep_trying(lambda: fs.mkdirs(remote), retry_time=retry_time, cancel=stop)
    for name in tree.empty:
        make = _MakeFolder(fs, join(remote, name), retry_time, stop)
        run.add(name, make.run, _nothing)
    for name in tree.files:
        if watch is not None and not watch.wants(name):
            continue
        told = None if watch is None else functools.partial(watch.copied, name)
        task = _Upload(fs, folder / name, join(remote, name), slots, retry_time, progress, stop, alive, told)
        run.add(name, task.run, _nothing)
    run.run("uploaded")
    return TransferResult(*progress.sums)


class _Progress:
    """Sums over all files, told to the caller."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self._lock = threading.Lock()
        self._on_progress = on_progress
        self._files = self._bytes = 0

    @property
    def sums(self) -> tuple[int, int]:
        return self._files, self._bytes

    def add(self, files: int, size: int) -> None:
        with self._lock:
            self._files += files
            self._bytes += size
            if self._on_progress is not None:
                self._on_progress(self._files, self._bytes)


class _Copy:
    """One file's way through several attempts. Only what goes beyond the best attempt is progress."""

    def __init__(self, retry_time: float, progress: _Progress, cancel: threading.Event) -> None:
        self._patience = Patience(retry_time)
        self._progress = progress
        self._cancel = cancel
        self._best = 0

    def _keep_trying(self, action: Callable[[], None]) -> None:
        keep_trying(action, patience=self._patience, cancel=self._cancel)

    def _copy(self, source: BinaryIO, sink: BinaryIO, most: int = sys.maxsize) -> int:
        size = 0
        while chunk := source.read(min(_CHUNK, most - size)):
            if self._cancel.is_set():
                raise Cancelled("cancelled")
            sink.write(chunk)
            size += len(chunk)
            if size > self._best:
                self._progress.add(0, size - self._best)
                self._patience.success()
                self._best = size
        return size


class _Download(_Copy):
    def __init__(
        self,
        fs: FileSystem,
        item: FetchItem,
        target: Path,
        retry_time: float,
        progress: _Progress,
        cancel: threading.Event,
    ) -> None:
        super().__init__(retry_time, progress, cancel)
        self._fs, self._item, self._target = fs, item, target
        self._partial = target.parent / _partial_name(target.name)

    def run(self) -> None:
        try:
            self._keep_trying(self._fetch_or_make_room)
            self._partial.replace(self._target)
        except BaseException:
            self._partial.unlink(missing_ok=True)
            raise
        self._progress.add(1, 0)

    def check(self) -> None:
        """Whether the source is still what was listed."""
        size = self._fs.stat(self._item.uri).size
        if size != self._item.size:
            raise StorageError(
                f"changed while the job ran: {self._item.size} bytes when it was listed, {size} bytes now"
            )

    def _fetch_or_make_room(self) -> None:
        """A disk may be full for a while only: others share it, and what they keep there goes with them."""
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._fetch()
        except OSError as error:
            if isinstance(error, StorageError) or error.errno not in _FULL:
                raise
            self._partial.unlink(missing_ok=True)
            full = StorageUnavailable(f"{self._target.parent}: {error.strerror}")
            full.errno = error.errno
            raise full from error

    def _fetch(self) -> None:
        with self._fs.open_read(self._item.uri) as source, open(self._partial, "wb") as sink:
            size = self._copy(source, sink)
        if size != self._item.size:
            self.check()
            raise StorageUnavailable(f"ended after {size} of {self._item.size} bytes")


class _Upload(_Copy):
    def __init__(
        self,
        fs: FileSystem,
        source: Path,
        target: str,
        slots: threading.BoundedSemaphore,
        retry_time: float,
        progress: _Progress,
        cancel: threading.Event,
        alive: bool,
        on_copied: _OnCopied | None,
    ) -> None:
        super().__init__(retry_time, progress, cancel)
        self._fs, self._source, self._target, self._slots = fs, source, target, slots
        self._alive, self._on_copied = alive, on_copied
        head, _, name = target.rpartition("/")
        self._partial = target if fs.whole_on_close else f"{head}/{_partial_name(name)}"
        self._size = 0

    def run(self) -> None:
        try:
            self._keep_trying(self._send)
        except OSError as error:
            if not isinstance(error, StorageUnavailable):
                self._remove()
            if isinstance(error, FileNotFoundError) and self._has_vanished():
                return
            raise
        self._keep_trying(self._publish)
        if self._on_copied is not None:
            self._on_copied(self._before, self._size, steady=self._steady)
        self._progress.add(1, 0)

    def _has_vanished(self) -> bool:
        return self._alive and not os.path.lexists(self._source)

    def _remove(self) -> None:
        """Take away what is of no use; if that fails too, the first error is the one to tell."""
        with contextlib.suppress(OSError):
            self._fs.delete(self._partial)

    def _send(self) -> None:
        # the slot is given back before the stack is left, which completes the file
        with contextlib.ExitStack() as opened, self._slots:
            source = opened.enter_context(open(self._source, "rb"))
            sink = opened.enter_context(self._fs.open_write(self._partial, overwrite=True))
            self._before = os.fstat(source.fileno())
            # whoever writes faster than this copies would keep it busy for ever
            most = self._before.st_size if self._alive else sys.maxsize
            self._size = self._copy(source, sink, most)
            whole = not source.read(1)
            self._steady = whole and _is_same(self._before, os.fstat(source.fileno()), self._size)
        stored = self._fs.stat(self._partial).size
        if stored != self._size:
            raise StorageUnavailable(f"{stored} of {self._size} bytes were stored")

    def _publish(self) -> None:
        if self._partial == self._target:
            return
        try:
            self._fs.replace(self._partial, self._target)
        except FileNotFoundError:
            # an earlier call that seemed lost may have done it
            if self._fs.stat(self._target).size != self._size:
                raise


def _is_same(before: os.stat_result, after: os.stat_result, size: int) -> bool:
    """Whether nobody wrote to a file of which ``size`` bytes were read meanwhile."""
    return before.st_mtime_ns == after.st_mtime_ns and before.st_size == after.st_size == size


class _OnCopied(Protocol):
    def __call__(self, before: os.stat_result, size: int, *, steady: bool) -> None: ...


class _MakeFolder:
    def __init__(self, fs: FileSystem, path: str, retry_time: float, cancel: threading.Event) -> None:
        self._fs, self._path, self._retry_time, self._cancel = fs, path, retry_time, cancel

    def run(self) -> None:
        keep_trying(lambda: self._fs.mkdirs(self._path), retry_time=self._retry_time, cancel=self._cancel)


def _nothing() -> None:
    """There is nothing to check about a local file before it is read."""


def _partial_name(name: str) -> str:
    """Short, for the name itself may be as long as the file system allows; the same in every attempt."""
    return f".xl-{hashlib.blake2s(os.fsencode(name), digest_size=8).hexdigest()}.part"


def _check_targets(items: Sequence[FetchItem]) -> None:
    owners: dict[PurePosixPath, str] = {}
    for item in items:
        path = PurePosixPath(item.target)
        if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in item.target:
            raise UsageError(f"'{item.target}' (from {item.uri}) does not stay inside the folder")
        if path in owners:
            raise UsageError(f"{owners[path]} and {item.uri} would both become '{item.target}'")
        owners[path] = item.uri
