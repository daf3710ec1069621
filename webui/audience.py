"""Who is watching: lets the end of a job wait until its viewers have seen how it ended."""

from __future__ import annotations

import threading
import time

_ATTENTIVE = 6.0  # seconds; the page asks at least this often while it is in front


class Audience:
    """Remembers when the job was last asked for, and whether its final state was among the answers."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._last_asked: float | None = None
        self._told_end = False

    def answered(self, *, final: bool) -> None:
        """A viewer got the job as it stands; ``final`` says that it will not change any more."""
        with self._changed:
            self._last_asked = time.monotonic()
            if final:
                self._told_end = True
                self._changed.notify_all()

    def wait_told(self, timeout: float) -> bool:
        """Wait until a viewer knows the end, at most ``timeout`` seconds; at once if nobody watches."""
        with self._changed:
            if self._last_asked is None or time.monotonic() - self._last_asked > _ATTENTIVE:
                return self._told_end
            return self._changed.wait_for(lambda: self._told_end, timeout)
