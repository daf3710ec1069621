"""Repeating what failed because a file system was away for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from xlearning.errors import StorageUnavailable, XLearningError

T = TypeVar("T")

_FIRST_WAIT = 0.2  # seconds
_LONGEST_WAIT = 5.0  # seconds


class Cancelled(XLearningError):
    """The work was given up because its caller said so."""


class Patience:
    """How long to go on: ``retry_time`` seconds after the last success.

    Parameters
    ----------
    retry_time : float
        Seconds.
    """

    def __init__(self, retry_time: float) -> None:
        self._retry_time = retry_time
        self._since = time.monotonic()

    def success(self) -> None:
        """Something moved forward: start counting anew."""
        self._since = time.monotonic()

    def is_over(self) -> bool:
        """Whether nothing moved forward for too long."""
        return time.monotonic() - self._since >= self._retry_time


def keep_trying(
    action: Callable[[], T],
    *,
    retry_time: float = 120.0,
    patience: Patience | None = None,
    cancel: threading.Event | None = None,
) -> T:
    """``action()``, repeated with growing waits while it raises `StorageUnavailable`.

    Only for actions that may be repeated: a call that was given up may still take effect.

    Parameters
    ----------
    action : callable
    retry_time : float
        Seconds to go on; used when no ``patience`` is given.
    patience : Patience, optional
        Tells when to stop; ``action`` may report successes to it.
    cancel : threading.Event, optional
        Ends the waiting.

    Raises
    ------
    Cancelled
        ``cancel`` was set.
    StorageUnavailable
        The last failure, once patience is over.
    """
    stop = cancel or threading.Event()
    patient = patience or Patience(retry_time)

    def attempt() -> T:
        if stop.is_set():
            raise Cancelled("cancelled")
        return action()

    try:
        return attempt()
    except StorageUnavailable:
        if patient.is_over():
            raise
    import tenacity  # here, for it costs 40 ms that a start without trouble need not pay

    stop.wait(_FIRST_WAIT)
    return tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(StorageUnavailable),
        stop=lambda _: patient.is_over(),
        wait=tenacity.wait_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT)
        + tenacity.wait_random(0, _FIRST_WAIT),
        sleep=tenacity.sleep_using_event(stop),
        reraise=True,
    )(attempt)
