"""A size limit for the log files of a program that knows nothing of it.

The program holds the files open and appends; it cannot be asked to rotate them, and a limit set by
the kernel would kill it. So the middle is dropped from outside: the beginning stays (set-up, versions),
the newest lines stay, one line between them says how much is missing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

NOTE = b"bytes dropped here, the limit is"  # in the line that stands for what is missing


class LogLimit:
    """Keeps log files below a size.

    Parameters
    ----------
    paths : sequence of Path
        Files that are written by appending (``O_APPEND``); they may not be there yet.
    limit : int
        Bytes per file; 0 means no limit. A program that writes fast exceeds it between two calls
        of `enforce`.
    """

    def __init__(self, paths: Sequence[Path], limit: int) -> None:
        self._files = [_LimitedFile(path, limit) for path in paths if limit > 0]

    def enforce(self) -> list[Path]:
        """Cut every file that is too large, and name those; `OSError` if that fails."""
        return [one.path for one in self._files if one.enforce()]


class _LimitedFile:
    """One file: its first half of the limit, a line about what is missing, its newest quarter."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self._limit = limit
        self._head: int | None = None  # bytes of the beginning that stay, known after the first cut
        self._note = 0  # bytes of the line that follows them
        self._dropped = 0

    def enforce(self) -> bool:
        try:
            if self.path.stat().st_size <= self._limit:
                return False
            self._cut()
        except FileNotFoundError:  # not begun yet, or the program has removed it
            return False
        return True

    def _cut(self) -> None:
        fd = os.open(self.path, os.O_RDWR | os.O_APPEND)
        try:
            if self._head is None:
                self._head = _line_end(os.pread(fd, self._limit // 2, 0))
            size = os.fstat(fd).st_size
            tail = os.pread(fd, self._limit // 4, size - self._limit // 4)
            tail = tail[tail.find(b"\n") + 1 :]
            self._dropped += size - len(tail) - self._head - self._note
            note = b"[xlearning: about %d %s %d bytes]\n" % (self._dropped, NOTE, self._limit)
            self._note = len(note)
            # What the program appends between reading and truncating is lost, hence "about".
            os.ftruncate(fd, self._head)
            os.write(fd, note + tail)
        finally:
            os.close(fd)


def _line_end(data: bytes) -> int:
    """Length of the complete lines in ``data``; all of it if there is none."""
    return data.rfind(b"\n") + 1 or len(data)
