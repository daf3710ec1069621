"""Blocking calls, away from the event loop: bounded pools, a deadline on every call."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from xlearning.errors import XLearningError

T = TypeVar("T")


class CallTimeout(XLearningError):
    """A blocking call did not return in time. Its thread is lost to the pool, the loop is not."""


class Pool:
    """A few daemon threads for one kind of blocking call.

    A thread that hangs (a file system that does not answer) costs this pool a thread and nobody
    else anything; daemon threads do not hold up the end of the process.

    Parameters
    ----------
    name : str
        Who is asked, for messages and thread names.
    threads : int
    timeout : float
        Seconds that a call may take unless it says otherwise.
    """

    def __init__(self, name: str, threads: int, timeout: float) -> None:
        self._name, self._timeout, self._limit = name, timeout, threads
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = threading.Semaphore(0)

    async def run(self, call: Callable[..., T], *args: Any, timeout: float | None = None) -> T:
        """Result of ``call(*args)``, run in the pool.

        Raises
        ------
        CallTimeout
            It took longer than ``timeout`` seconds.
        """
        limit = self._timeout if timeout is None else timeout
        future: Future[T] = Future()
        self._submit(future, lambda: call(*args))
        answer = asyncio.wrap_future(future)
        try:  # not wait_for, whose timeout looks like one that the call raises itself
            done, _ = await asyncio.wait({answer}, timeout=limit)
            if not done:
                raise CallTimeout(f"the {self._name} did not answer within {limit:g} s")
            return answer.result()
        finally:
            answer.cancel()

    def close(self) -> None:
        """Let the threads end that are not in a call."""
        for _ in self._threads:
            self._queue.put(None)

    def _submit(self, future: Future[Any], call: Callable[[], Any]) -> None:
        self._queue.put((future, call))
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._limit:
            name = f"{self._name}-{len(self._threads)}"
            thread = threading.Thread(target=self._work, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            future, call = item
            if future.set_running_or_notify_cancel():
                try:
                    result = call()
                except BaseException as error:  # noqa: BLE001 - hdfs-native panics are BaseException
                    _settle(future, error=error)
                else:
                    _settle(future, result=result)
            self._idle.release()


def _settle(future: Future[Any], *, result: Any = None, error: BaseException | None = None) -> None:
    with contextlib.suppress(asyncio.InvalidStateError):  # nobody waits any more
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)
