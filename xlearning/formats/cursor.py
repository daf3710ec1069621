"""A file from some place on, read ahead in large blocks and taken in small pieces."""

from __future__ import annotations

from xlearning.errors import StorageError
from xlearning.formats.source import Source

_BLOCK = 1 << 20  # bytes read at a time


def damaged(source: Source, position: int, why: str, *, foreign: bool = False) -> StorageError:
    """The error of a file that is not what its format says.

    Parameters
    ----------
    position : int
        Where, in bytes; ``source`` keeps it, and whoever feeds records tells it.
    foreign : bool
        Whether nothing in the file is known to be of the format.
    """
    source.position = position
    hint = "is --inputformat right for this file?" if foreign else None
    return StorageError(f"damaged file: {why}", hint=hint)


class Cursor:
    """Reads ``source`` from ``position`` on.

    Loops over many small records work on `data` themselves: they take ``data`` and ``at`` into local
    names, and give ``at`` back before they call anything here.

    Attributes
    ----------
    data : bytes
        What was read ahead.
    at : int
        Index in ``data`` of the next byte.
    """

    def __init__(self, source: Source, position: int = 0) -> None:
        self.source = source
        self.data = b""
        self.at = 0
        self._base = position

    @property
    def position(self) -> int:
        """Offset in the file of the next byte."""
        return self._base + self.at

    def fill(self, length: int) -> bool:
        """Make ``length`` bytes ready from ``at`` on, where ``data`` has fewer; False at the file's end.

        Raises
        ------
        StorageError
            The file ends before that.
        """
        left = len(self.data) - self.at
        if left >= length:
            return True
        position = self.position
        more = self.source.read(position + left, max(length - left, _BLOCK))
        if not left and not more:
            return False
        if left + len(more) < length:
            raise damaged(self.source, position, "it ends in the middle of a record")
        self._base, self.data, self.at = position, self.data[self.at :] + more, 0
        return True

    def take(self, length: int) -> bytes:
        """The next ``length`` bytes.

        Raises
        ------
        StorageError
            The file ends before that.
        """
        if length < 0 or self.position + length > self.source.size:
            raise damaged(self.source, self.position, "it ends in the middle of a record")
        self.fill(length)
        start, self.at = self.at, self.at + length
        return self.data[start : self.at]


def find(source: Source, pattern: bytes, start: int, end: int) -> int:
    """Offset of the first ``pattern`` that begins in ``[start, end)``; -1 where there is none."""
    keep = len(pattern) - 1
    while start < end:
        block = source.read(start, min(_BLOCK, end - start) + keep)
        found = block.find(pattern)
        if found >= 0:
            return start + found
        start += max(1, len(block) - keep)
    return -1
