"""Clients of libraries with threads, which a forked child cannot use."""

from __future__ import annotations

import os


class ForkGuard:
    """Remembers the process in which it was made.

    Parameters
    ----------
    what : str
        What does not survive a fork, for the error.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._pid = os.getpid()

    def check(self) -> None:
        """Raise `RuntimeError` in another process: the library's threads are not there."""
        if os.getpid() != self._pid:
            raise RuntimeError(f"{self._what} does not survive a fork: make a new one in the child")
