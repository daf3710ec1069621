"""A call that runs beside others, in a daemon thread that nobody has to wait for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from xlearning.errors import ClusterUnavailable

T = TypeVar("T")

_LOOK = 0.1  # seconds


class Background(Generic[T]):
    """Starts ``call`` at once.

    Parameters
    ----------
    what : str
        What is done, for the message when it takes too long.
    """

    def __init__(self, what: str, call: Callable[[], T]) -> None:
        self._what, self._call = what, call
        self._done = threading.Event()
        self._values: list[T] = []
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name=what, daemon=True).start()

    def result(self, timeout: float, check: Callable[[], None] | None = None) -> T:
        """Its result, or its exception.

        Parameters
        ----------
        timeout : float
            Seconds.
        check : callable, optional
            Called every tenth of a second; what it raises ends the wait.

        Raises
        ------
        ClusterUnavailable
            It is not done after ``timeout`` seconds.
        """
        deadline = time.monotonic() + timeout
        while not self._done.wait(max(0.0, min(_LOOK, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                raise ClusterUnavailable(f"{self._what}: no answer within {timeout:g} s")
            if check is not None:
                check()
        if self._error is not None:
            raise self._error
        return self._values[0]

    def wait(self, timeout: float) -> bool:
        """Whether it is done after at most ``timeout`` seconds."""
        return self._done.wait(timeout)

    def cancel(self, undo: Callable[[T], object]) -> None:
        """Call ``undo`` with the result, now or when there is one; nothing if it failed."""
        if self._done.is_set():
            for value in self._values:
                undo(value)
        else:
            Background(self._what, lambda: self._undo_later(undo))

    def _undo_later(self, undo: Callable[[T], object]) -> None:
        self._done.wait()
        for value in self._values:
            undo(value)

    def _run(self) -> None:
        try:
            self._values.append(self._call())
        except BaseException as error:  # noqa: BLE001 - handed to whoever asks for the result
            self._error = error
        finally:
            self._done.set()
