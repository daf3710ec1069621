r"""Lines of bytes, for any source of bytes: files, or what a codec gives piece by piece.

A record ends with LF, CR or CRLF, or with a delimiter of the user's own; the last one may end with the file.
What owns a record is one byte: the last one of the line end before it, or the first one of the delimiter
before it. A split gives the records whose byte it holds, and the first record of the file belongs to the
split that starts there. So a split is a contiguous range of bytes: `LineRule.owned` finds it in a file that
can be read at any place, `LineRule.clip` in a stream. `LineRule.lines` then copies it in large blocks, and
`LineRule.records` gives the same records one by one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

from xlearning.formats.lineends import Readable, first_end, next_start, overlaps_itself
from xlearning.formats.linetext import delimited, normal

_PIECE = 1 << 18  # bytes that records are joined to
_CUT = 1 << 16  # bytes cut at a time: records take several times the memory of their bytes
_MARK = b"\xef\xbb\xbf"
_LF, _CR, _BOTH = b"\n", b"\r", b"\r\n"

TooLong = Callable[[int, int], None]
"""Is told of a record that is left out: where it begins, and its bytes with what ends it."""


class LineRule:
    """What a line is.

    Parameters
    ----------
    delimiter : bytes
        What ends a record; empty: LF, CR or CRLF.
    maximum : int
        Records of this many bytes or more, with what ends them, are left out; 0: none is.

    Attributes
    ----------
    looks_back : bool
        Whether the delimiter can overlap itself (``||`` in ``|||``). Where a record begins then depends on
        what stands before: what can only be read forward must not be cut, and `clip` is not for it.
    """

    def __init__(self, delimiter: bytes = b"", maximum: int = 0) -> None:
        self._delimiter = delimiter
        self._width = len(delimiter) or 1
        self._maximum = maximum
        self.looks_back = overlaps_itself(delimiter)

    def owned(self, source: Readable, start: int, end: int) -> tuple[int, int]:
        """The range of the records that belong to the split ``[start, end)`` of a file."""
        first = 0 if start == 0 else next_start(source, start, self._delimiter)
        if start > 0 and first - self._width >= end:  # one record covers the whole split
            return first, first
        return first, source.size if end >= source.size else next_start(source, end, self._delimiter)

    def clip(self, inside: Iterable[bytes], beyond: Iterable[bytes], *, first: bool) -> Iterator[bytes]:
        """The bytes of the records that belong to a split of a stream, unless the rule `looks_back`.

        Parameters
        ----------
        inside, beyond : iterable of bytes
            What the split holds, and what follows it; of ``beyond`` no more is taken than is needed.
        first : bool
            Whether the split begins where the stream does.
        """
        within, rest = iter(inside), iter(beyond)
        head, skipped = b"", 0
        if not first:
            search = first_end(self._delimiter)
            for chunk in within:
                found = search(chunk)
                if found is not None:
                    yield from filter(None, (chunk[found:],))
                    break
            else:  # a CR may be the split's last byte, a delimiter may begin in it and end behind it
                head = _at_least(self._width, rest)
                found = search(head)
                if found is None or found >= self._width:
                    return
                skipped = found
        yield from within
        search = first_end(self._delimiter)
        for chunk in itertools.chain((head,), rest):
            stop = search(chunk)
            if kept := chunk[skipped:stop]:
                yield kept
            if stop is not None:
                return
            skipped = 0

    def lines(
        self, chunks: Iterable[bytes], *, first: bool, at: int = 0, too_long: TooLong | None = None
    ) -> Iterator[bytes]:
        r"""The values of `records`, each with ``\n`` at its end, in large pieces and in bounded memory."""
        if self._maximum:
            values = self.records(chunks, first=first, at=at, too_long=too_long)
            return _joined(value for _, value in values)
        if first:
            chunks, _ = self._behind_mark(iter(chunks))
        return delimited(chunks, self._delimiter) if self._delimiter else normal(chunks)

    def records(
        self, chunks: Iterable[bytes], *, first: bool, at: int = 0, too_long: TooLong | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """Where each record begins, and its bytes without what ends it.

        Parameters
        ----------
        chunks : iterable of bytes
            The bytes of whole records, cut anywhere.
        first : bool
            Whether they begin where the file does: a byte order mark there is left out.
        at : int
            Where they begin.
        too_long : callable, optional
            See `TooLong`.
        """
        begins = at
        if first:
            chunks, mark = self._behind_mark(iter(chunks))
            at += mark
        for value, size in self._values(chunks):
            if self._maximum and size >= self._maximum:
                if too_long is not None:
                    too_long(begins, size)
            else:
                yield begins, value
            at += size
            begins = at

    def _values(self, chunks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """Each record without, and its size with what ends it; of a longer one than wanted, no bytes."""
        cut = self._cut_delimited if self._delimiter else self._cut_lines
        parts: list[bytes] = []  # the record that has not ended yet, and its bytes so far
        size = 0
        tail = b""  # the end of a chunk, of which the next one decides what it is
        for chunk in _small(chunks):
            ended, rest, tail = cut(tail + chunk)
            for value, count in ended:
                if size:
                    parts.append(value)
                    value, count = b"".join(parts), count + size
                    parts, size = [], 0
                yield value, count
            if rest:
                size += len(rest)
                if self._maximum and size >= self._maximum:
                    parts = []
                else:
                    parts.append(rest)
        if not self._delimiter and tail:  # a CR
            yield b"".join(parts), size + 1
        elif size or tail:
            yield b"".join((*parts, tail)), size + len(tail)

    def _cut_delimited(self, data: bytes) -> tuple[list[tuple[bytes, int]], bytes, bytes]:
        *ended, rest = data.split(self._delimiter)
        kept = max(0, len(rest) - self._width + 1)
        return [(value, len(value) + self._width) for value in ended], rest[:kept], rest[kept:]

    def _cut_lines(self, data: bytes) -> tuple[list[tuple[bytes, int]], bytes, bytes]:
        tail = _CR if data.endswith(_CR) else b""
        if _CR not in data:
            *ended, rest = data.split(_LF)
            return [(value, len(value) + 1) for value in ended], rest, tail
        raw = data.removesuffix(_CR).splitlines(keepends=True)  # of bytes: at CR, LF and CRLF alone
        rest = raw.pop() if raw and raw[-1][-1:] not in (_LF, _CR) else b""
        return [(line[: -2 if line.endswith(_BOTH) else -1], len(line)) for line in raw], rest, tail

    def _behind_mark(self, chunks: Iterator[bytes]) -> tuple[Iterator[bytes], int]:
        """What follows a byte order mark, and the size of the mark; no mark if a delimiter begins in it."""
        head = _at_least(len(_MARK) + len(self._delimiter), chunks)
        cut = bool(self._delimiter) and 0 <= head.find(self._delimiter) < len(_MARK)
        width = len(_MARK) if head.startswith(_MARK) and not cut else 0
        return itertools.chain(filter(None, (head[width:],)), chunks), width


def _small(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), _CUT):
            yield chunk[start : start + _CUT]


def _at_least(count: int, chunks: Iterator[bytes]) -> bytes:
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= count:
            break
    return head


def _joined(values: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for value in values:
        held.append(value)
        size += len(value) + 1
        if size >= _PIECE:
            yield b"".join((_LF.join(held), _LF))
            held, size = [], 0
    if held:
        yield b"".join((_LF.join(held), _LF))
