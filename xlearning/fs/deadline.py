"""Calls that may hang, run in daemon threads and given up after a while."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class DeadlineExceeded(Exception):
    """The call did not come back in time; it may still be running and may still take effect."""


class DeadlineCaller:
    """Runs calls in daemon threads, at most ``slots`` at a time.

    A call that hangs for good costs its slot and nothing else: nobody waits for its thread, not even
    the end of the interpreter.

    Parameters
    ----------
    name : str
        Name of the threads.
    slots : int
        How many calls may be under way, hung ones included.
    """

    def __init__(self, name: str, slots: int) -> None:
        self._name = name
        self._slots = threading.BoundedSemaphore(slots)

    def call(self, action: Callable[[], T], timeout: float) -> T:
        """The result of ``action()``, or its exception.

        Raises
        ------
        DeadlineExceeded
            No slot was free for ``timeout`` seconds, or the call took longer than that.
        """
        if not self._slots.acquire(timeout=timeout):
            raise DeadlineExceeded
        call = _Call(action, self._slots)
        try:
            threading.Thread(target=call.run, name=self._name, daemon=True).start()
        except RuntimeError:  # no thread could be started
            self._slots.release()
            raise
        return call.result(timeout)


class _Call(Generic[T]):
    def __init__(self, action: Callable[[], T], slot: threading.BoundedSemaphore) -> None:
        self._action = action
        self._slot = slot
        self._done = threading.Event()
        self._value: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._value.append(self._action())
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            self._error = error
        finally:
            self._slot.release()
            self._done.set()

    def result(self, timeout: float) -> T:
        if not self._done.wait(timeout):
            raise DeadlineExceeded
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # breaks the cycle error -> traceback -> frame -> self
        return self._value[0]
