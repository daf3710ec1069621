"""Asks the back end now and then why containers do not come, without waiting for the answer."""

from __future__ import annotations

import time

from xlearning.cluster.background import Background
from xlearning.cluster.base import ClusterClient
from xlearning.errors import XLearningError

_FIRST = 5.0  # seconds that containers usually take
_AGAIN = 30.0  # seconds between two questions


class Reasons:
    """Why one application waits."""

    def __init__(self, cluster: ClusterClient, app_id: str) -> None:
        self._cluster, self._app_id = cluster, app_id
        self._next: float | None = None
        self._asked: Background[str] | None = None

    def look(self, *, waits: bool) -> str | None:
        """A new answer, empty where nobody knows; None where there is none.

        Parameters
        ----------
        waits : bool
            Whether containers are missing.
        """
        now = time.monotonic()
        if not waits:
            self._next = self._asked = None
            return None
        if self._next is None:
            self._next = now + _FIRST
        asked = self._asked
        if asked is not None and asked.wait(0):
            self._asked = None
            try:
                return asked.result(0)
            except (XLearningError, OSError, LookupError):
                return ""
        if asked is None and now >= self._next:
            self._next = now + _AGAIN
            self._asked = Background("reason", lambda: self._cluster.waiting(self._app_id))
        return None
