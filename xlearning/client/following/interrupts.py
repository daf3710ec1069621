"""SIGINT, SIGTERM and SIGHUP: an exception while nothing runs yet, an event once an application does."""

from __future__ import annotations

import queue
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from xlearning.client.following.watch import Event, Interrupt

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """A signal ended the client before it had submitted anything."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


class Interrupts:
    """Context that takes over these signals (in the main thread) and gives them back.

    Inside, a signal raises `Interrupted`; after `redirect` it becomes an event. SIGHUP stays ignored
    where it is, as below nohup.
    """

    def __init__(self) -> None:
        self._inbox: queue.SimpleQueue[Event] | None = None
        self._before: dict[int, Any] = {}
        self._seen: int | None = None

    def redirect(self, inbox: queue.SimpleQueue[Event]) -> None:
        """From now on, signals go to ``inbox``."""
        self._inbox = inbox

    def check(self) -> None:
        """For waits that can be given up: `Interrupted` when a signal has come."""
        if self._seen is not None:
            raise Interrupted(self._seen)

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                    continue
                self._before[number] = signal.signal(number, self._arrived)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _arrived(self, signum: int, _frame: FrameType | None) -> None:
        self._seen = signum
        if self._inbox is None:
            raise Interrupted(signum)
        self._inbox.put(Interrupt(signum))  # SimpleQueue.put may be called from a signal handler
