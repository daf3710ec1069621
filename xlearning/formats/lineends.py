"""Where the next record begins: searches for the end of a line, in blocks. Pure but for reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

_SCAN = 1 << 16  # bytes searched at a time
_LF, _CR = b"\n", b"\r"

Search = Callable[[bytes], int | None]
"""Takes one chunk after the other; tells how many bytes of it belong to the record that ends in it."""


class Readable(Protocol):
    """Bytes that can be read at any place, such as a `xlearning.formats.source.Source`."""

    @property
    def size(self) -> int:
        """How many there are."""

    def read(self, position: int, length: int) -> bytes:
        """``length`` bytes from ``position`` on; fewer only where they end."""


def overlaps_itself(delimiter: bytes) -> bool:
    """Whether two occurrences can overlap, as in ``|||`` for ``||``."""
    return any(delimiter[:n] == delimiter[-n:] for n in range(1, len(delimiter)))


def first_end(delimiter: bytes) -> Search:
    """A search for the first end of a record: ``delimiter``, or if that is empty LF, CR or CRLF."""
    return _Delimiter(delimiter).search if delimiter else _LineEnd().search


def next_start(source: Readable, position: int, delimiter: bytes) -> int:
    """Start of the first record that `position` or what follows owns; see `xlearning.formats.lines`."""
    if overlaps_itself(delimiter):
        return _next_by_order(source, position, delimiter)
    search = first_end(delimiter)
    while block := source.read(position, _SCAN):
        found = search(block)
        if found is not None:
            return position + found
        position += len(block)
    return source.size


class _LineEnd:
    def __init__(self) -> None:
        self._back = False  # a CR was the last byte of a chunk; an LF may follow

    def search(self, chunk: bytes) -> int | None:
        if not chunk:
            return None
        if self._back:
            return int(chunk.startswith(_LF))
        feed = chunk.find(_LF)
        back = chunk.find(_CR, 0, feed if feed >= 0 else len(chunk))
        if back < 0:
            return feed + 1 if feed >= 0 else None
        if back + 1 == len(chunk):
            self._back = True
            return None
        return back + 1 + (chunk[back + 1 : back + 2] == _LF)


class _Delimiter:
    def __init__(self, delimiter: bytes) -> None:
        self._delimiter = delimiter
        self._tail = b""  # may be the head of a delimiter

    def search(self, chunk: bytes) -> int | None:
        data = self._tail + chunk
        found = data.find(self._delimiter)
        if found >= 0:
            return found + len(self._delimiter) - len(self._tail)
        self._tail = data[max(0, len(data) - len(self._delimiter) + 1) :]
        return None


def _next_by_order(source: Readable, position: int, delimiter: bytes) -> int:
    """As `next_start`, where a delimiter counts only if none that counts overlaps its head."""
    width = len(delimiter)
    at = _before_overlaps(source, position, delimiter)
    data = b""  # what is not decided yet, from `at` on
    while block := source.read(at + len(data), _SCAN):
        data += block
        done = 0
        while (found := data.find(delimiter, done)) >= 0:
            done = found + width
            if at + found >= position:
                return at + done
        done = max(done, len(data) - width + 1)
        at, data = at + done, data[done:]
    return source.size


def _before_overlaps(source: Readable, position: int, delimiter: bytes) -> int:
    """The last place up to ``position`` that lies within no occurrence of ``delimiter``."""
    reach = len(delimiter) - 1
    low, data = position, b""
    while position > 0:
        if low > max(0, position - reach):
            low = max(0, position - reach - _SCAN)
            data = source.read(low, position + reach - low)
        found = data.find(delimiter, max(0, position - reach - low), position + reach - low)
        if found < 0:
            break
        position = low + found
    return position
