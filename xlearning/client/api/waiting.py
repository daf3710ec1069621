"""Following an application without a terminal: a callback for news, and an end to patience."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable

from xlearning.client.console import Console
from xlearning.client.following.follow import Ending, Follower
from xlearning.client.following.watch import Event, Watcher
from xlearning.client.verbs.applications import Found
from xlearning.errors import WaitTimeout
from xlearning.job import JobSpec, Snapshot

OnChange = Callable[[Snapshot], object]


def await_end(
    job: JobSpec,
    found: Found,
    console: Console,
    *,
    interval: float,
    timeout: float | None,
    on_change: OnChange | None,
) -> Ending:
    """Follow an application to its end.

    Parameters
    ----------
    interval : float
        See `Follower`.
    timeout : float, optional
        Seconds; no limit by default.
    on_change : callable, optional
        Called, in this thread, with every snapshot that arrives. What it raises ends the wait.

    Raises
    ------
    xlearning.errors.WaitTimeout
        It has not ended in time; it goes on.
    """
    inbox = _Inbox(job.app_id, timeout, on_change)
    place = found.place
    watcher = Watcher(place.fss, job.staging, inbox, found.report.user)
    watcher.start()
    try:
        return Follower(job, place.cluster, watcher, inbox, console, interval=interval).run()
    finally:
        watcher.stop()


class _Inbox(queue.SimpleQueue[Event]):
    """Shows what passes, and gives up in the end."""

    def __init__(self, app_id: str, timeout: float | None, on_change: OnChange | None) -> None:
        self._app_id, self._timeout, self._on_change = app_id, timeout, on_change
        self._deadline = None if timeout is None else time.monotonic() + timeout

    def get(self, block: bool = True, timeout: float | None = None) -> Event:
        left = None if self._deadline is None else self._deadline - time.monotonic()
        if left is not None and left <= 0:
            raise WaitTimeout(f"{self._app_id} has not ended within {self._timeout:g} s")
        if left is not None:
            timeout = left if timeout is None else min(left, timeout)
        return self._shown(super().get(block, timeout))

    def get_nowait(self) -> Event:
        return self._shown(super().get_nowait())

    def _shown(self, event: Event) -> Event:
        if self._on_change is not None and isinstance(event, Snapshot):
            self._on_change(event)
        return event
