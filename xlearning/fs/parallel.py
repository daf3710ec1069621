"""Many tasks in a few threads, all failures collected."""

from __future__ import annotations

import errno
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from xlearning.errors import CredentialsError, StorageError, StorageUnavailable, XLearningError
from xlearning.fs.retry import Cancelled

# A worker looks at the cancel event between two chunks; one that hangs in a call is left behind.
_CANCEL_PATIENCE = 2.0  # seconds
_SHOWN = 5
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


class TransferError(StorageError):
    """Some files could not be transferred.

    Attributes
    ----------
    failures : tuple of (str, Exception)
        What failed, and why.
    """

    def __init__(self, message: str, failures: Sequence[tuple[str, Exception]], *, hint: str | None) -> None:
        super().__init__(message, hint=hint)
        self.failures = tuple(failures)


class ParallelRun:
    """Runs one function over many named items.

    Once an item has failed the others are only *checked*, so that the final error names everything
    that is wrong without transferring data in vain; once the file system stays away, nothing more
    is begun.

    Parameters
    ----------
    threads : int
        Number of worker threads.
    cancel : threading.Event
        Makes `run` raise `Cancelled`; tasks look at it themselves too.
    """

    def __init__(self, threads: int, cancel: threading.Event) -> None:
        self._threads = threads
        self._cancel = cancel
        self._lock = threading.Lock()
        self._queue: deque[tuple[str, Callable[[], None], Callable[[], None]]] = deque()
        self._failures: list[tuple[str, Exception]] = []
        self._fault: BaseException | None = None
        self._stopped = False

    def add(self, name: str, task: Callable[[], None], check: Callable[[], None]) -> None:
        """Add a task, and the cheap look that takes its place after a failure."""
        self._queue.append((name, task, check))

    def run(self, verb: str) -> None:
        """Run everything that was added. ``verb`` is for messages: "downloaded".

        Raises
        ------
        Cancelled
            The event was set.
        TransferError
            Items failed with an `OSError`; other exceptions are raised as they are.
        """
        total = len(self._queue)
        workers = [
            threading.Thread(target=self._work, name=f"transfer-{number}", daemon=True)
            for number in range(min(self._threads, total))
        ]
        for worker in workers:
            worker.start()
        try:
            self._join(workers)
        except BaseException:  # Ctrl-C: nothing new is begun, and what is under way puts itself in order
            self._stopped = True
            self._cancel.set()
            self._join(workers)
            raise
        if self._fault is not None:
            raise self._fault
        if self._cancel.is_set():
            raise Cancelled(f"cancelled before all files were {verb}")
        if self._failures:
            raise _summary(self._failures, total, verb)

    def _join(self, workers: Sequence[threading.Thread]) -> None:
        for worker in workers:
            while worker.is_alive() and not self._cancel.is_set():
                worker.join(0.1)
        end = time.monotonic() + _CANCEL_PATIENCE
        for worker in workers:
            worker.join(max(0.0, end - time.monotonic()))

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._stopped or self._cancel.is_set() or not self._queue:
                    return
                name, task, check = self._queue.popleft()
                action = check if self._failures else task
            try:
                action()
            except Cancelled:
                return
            except OSError as error:
                with self._lock:
                    self._failures.append((name, error))
                    self._stopped |= _is_general(error)
            except BaseException as error:  # noqa: BLE001 - raised again by `run`
                with self._lock:
                    self._fault, self._stopped = error, True
                return


def _is_general(error: OSError) -> bool:
    """Whether the same would happen to every other file."""
    return isinstance(error, (StorageUnavailable, CredentialsError)) or error.errno in _DISK


def _summary(failures: Sequence[tuple[str, Exception]], total: int, verb: str) -> TransferError:
    lines = [f"{_printable(name)}: {_words(error)}" for name, error in failures[:_SHOWN]]
    if len(failures) > _SHOWN:
        lines.append(f"and {len(failures) - _SHOWN} more")
    first = failures[0][1]
    message = f"{len(failures)} of {total} files could not be {verb}: " + "; ".join(lines)
    failure = TransferError(message, failures, hint=getattr(first, "hint", None))
    failure.errno = first.errno if isinstance(first, OSError) else None
    return failure


def _words(error: Exception) -> str:
    if isinstance(error, XLearningError):
        return error.message
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _printable(name: str) -> str:
    """Names that are no valid UTF-8 must not break the terminal that shows them."""
    return name.encode("utf-8", "backslashreplace").decode()
