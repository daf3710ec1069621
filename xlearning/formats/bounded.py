"""A bound on the time that code of somebody else may take."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


class Overdue(Exception):
    """The time is over, and the call is not.

    Attributes
    ----------
    where : str
        At which line of the module it is, to be put behind a sentence; empty where that is not known.
    """

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


class Allowance:
    """Time for calls into one module, all of them together.

    A call that does not come back keeps a thread until the process ends, which does not wait for it. Code
    that never lets other threads run, such as one endless call into C, is not bounded by this.

    Parameters
    ----------
    file : str
        As the frames of the module name it.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._spent = 0.0

    def run(self, seconds: float, call: Callable[..., T], *args: Any) -> T:
        """The result of ``call(*args)``, or what it raises.

        Parameters
        ----------
        seconds : float
            How long this call and all before may take in all.

        Raises
        ------
        Overdue
            They have taken longer.
        """
        left = seconds - self._spent
        if left <= 0:
            raise Overdue("")
        future: Future[T] = Future()
        thread = threading.Thread(target=_settle, args=(future, call, args), daemon=True)
        begun = time.monotonic()
        thread.start()
        thread.join(left)
        self._spent += time.monotonic() - begun
        if not future.done():
            raise Overdue(self._where(thread))
        return future.result()

    def _where(self, thread: threading.Thread) -> str:
        frame: FrameType | None = sys._current_frames().get(thread.ident or 0)
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return f"; it is at {self._file} line {frame.f_lineno}, in {frame.f_code.co_name}"
            frame = frame.f_back
        return ""


def _settle(future: Future[T], call: Callable[..., T], args: tuple[Any, ...]) -> None:
    try:
        result = call(*args)
    except BaseException as error:  # noqa: BLE001 - told by whoever waits
        future.set_exception(error)
    else:
        future.set_result(result)
