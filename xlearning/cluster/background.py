"""A call that runs beside others, in a daemon thread that nobody has to wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from xlearning.errors import ClusterUnavailable

T = TypeVar("T")


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

    def result(self, timeout: float) -> T:
        """Its result, or its exception.

        Raises
        ------
        ClusterUnavailable
            It is not done after ``timeout`` seconds.
        """
        if not self._done.wait(timeout):
            raise ClusterUnavailable(f"{self._what}: no answer within {timeout:g} s")
        if self._error is not None:
            raise self._error
        return self._values[0]

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
