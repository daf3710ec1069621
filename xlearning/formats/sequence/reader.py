"""The records of one split of a SequenceFile, as serialized bytes.

A file is a row of segments. The first one begins after the head, each later one with an escape and the
file's mark. A segment belongs to the split in which it begins.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from xlearning.formats.cursor import Cursor, damaged, find
from xlearning.formats.sequence.codecs import packing
from xlearning.formats.sequence.layout import ESCAPE, SYNC, Header, read_header, read_vlong
from xlearning.formats.sequence.numbers import vlong
from xlearning.formats.source import Source
from xlearning.job import InputSplit

_LENGTHS = struct.Struct(">ii")
_MARK = len(ESCAPE) + SYNC
_BROKEN = (ValueError, IndexError, OSError, EOFError, zlib.error)


class SequenceReader:
    """Reads ``split`` of ``source``.

    Attributes
    ----------
    header : Header
    place : int
        Offset of the record, or of the block of records, that was given last.

    Raises
    ------
    StorageError
        The file has no good head, or is compressed in a way that is not known.
    """

    def __init__(self, source: Source, split: InputSplit) -> None:
        self.place = 0
        self._source = source
        self._cursor = Cursor(source)
        self._end = split.start + split.length
        self.header: Header = read_header(self._cursor)
        self._packing = packing(self.header.codec) if self.header.codec else None
        self._start = self._first(split.start)

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        """Serialized keys and values.

        Raises
        ------
        StorageError
            The file is damaged.
        """
        if self._start < 0:
            return iter(())
        if self._cursor.position != self._start:
            self._cursor = Cursor(self._source, self._start)
        return self._blocks() if self.header.blocks else self._singles()

    def _first(self, start: int) -> int:
        """Offset of the first segment of the split; -1 where there is none."""
        if start <= self.header.size:
            return self.header.size if self.header.size < self._end else -1
        return find(self._source, ESCAPE + self.header.sync, start, self._end)

    def _singles(self) -> Iterator[tuple[bytes, bytes]]:
        cursor, unpack = self._cursor, _LENGTHS.unpack_from
        data, at, limit = cursor.data, cursor.at, len(cursor.data)
        while True:
            if limit - at < _LENGTHS.size:
                cursor.at = at
                if not cursor.fill(_LENGTHS.size):
                    return
                data, at, limit = cursor.data, cursor.at, len(cursor.data)
            length, key_length = unpack(data, at)
            if length == -1:
                cursor.at = at
                if not self._past_mark():
                    return
                data, at, limit = cursor.data, cursor.at, len(cursor.data)
                continue
            begin = at + _LENGTHS.size
            if begin + length > limit:
                cursor.at = at
                self._check(length, key_length)
                cursor.fill(_LENGTHS.size + length)
                data, at, limit = cursor.data, cursor.at, len(cursor.data)
                begin = at + _LENGTHS.size
            if not 0 <= key_length <= length:
                cursor.at = at
                self._check(length, key_length)
            middle, at = begin + key_length, begin + length
            cursor.at = begin - _LENGTHS.size
            self.place = cursor.position
            value = data[middle:at]
            yield data[begin:middle], value if self._packing is None else self._unpacked(value)

    def _check(self, length: int, key_length: int) -> None:
        cursor = self._cursor
        if not 0 <= key_length <= length:
            raise damaged(self._source, cursor.position, "the lengths of a record cannot be right")
        if cursor.position + _LENGTHS.size + length > self._source.size:
            raise damaged(self._source, cursor.position, "it ends in the middle of a record")

    def _past_mark(self) -> bool:
        """Go past the mark of a segment; False if the segment is not the split's."""
        cursor = self._cursor
        if cursor.position >= self._end:
            return False
        begin = cursor.position
        if cursor.take(_MARK) != ESCAPE + self.header.sync:
            raise damaged(self._source, begin, "no mark where one must be")
        return True

    def _blocks(self) -> Iterator[tuple[bytes, bytes]]:
        cursor = self._cursor
        while cursor.fill(1) and self._past_mark():
            self.place = cursor.position - _MARK
            count = read_vlong(cursor)
            key_lengths, keys, value_lengths, values = (
                self._unpacked(cursor.take(read_vlong(cursor))) for _ in range(4)
            )
            try:
                yield from zip(
                    _pieces(keys, key_lengths, count), _pieces(values, value_lengths, count), strict=True
                )
            except (ValueError, IndexError):
                raise damaged(self._source, self.place, "the lengths in a block cannot be right") from None

    def _unpacked(self, data: bytes) -> bytes:
        assert self._packing is not None, "a block is always compressed"
        try:
            return self._packing.unpack(data)
        except _BROKEN as error:
            raise damaged(
                self._source, self.place, f"what is compressed cannot be unpacked: {error}"
            ) from None


def _pieces(data: bytes, lengths: bytes, count: int) -> Iterator[bytes]:
    """``data`` cut into ``count`` pieces.

    Raises
    ------
    ValueError, IndexError
        The lengths are not those of ``data``.
    """
    begin = at = 0
    for _ in range(count):
        length, at = vlong(lengths, at)
        if length < 0 or begin + length > len(data):
            raise ValueError("a length is beyond the data")
        yield data[begin : begin + length]
        begin += length
    if begin != len(data) or at != len(lengths):
        raise ValueError("more data than its lengths say")
