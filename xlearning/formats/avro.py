"""Avro's object container files: a record is a line of JSON, as Hadoop's AvroAsTextInputFormat gives it.

Numbers with a logical type (dates, decimals) stay what they are in the file, bytes are text whose
characters are the bytes. A block belongs to the split in which the mark before it begins.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from xlearning.config import Config
from xlearning.errors import StorageError
from xlearning.formats.base import Cutting, Record
from xlearning.formats.cursor import Cursor, damaged, find
from xlearning.formats.framing import joined
from xlearning.formats.jsontext import encoder
from xlearning.formats.libraries import load
from xlearning.formats.source import Files, Source
from xlearning.formats.splits import by_size
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

_MAGIC = b"Obj\x01"
_SYNC = 16  # bytes of the mark between blocks
_LONGEST = 10  # bytes of a number


class AvroFormat:
    """See `xlearning.formats.base.InputFormat`. Records have no keys."""

    name = "avro"

    def __init__(self, config: Config) -> None:
        del config

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        return by_size(files, cutting)

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        document = encoder(lambda data: data.decode("latin-1"))
        with reading.open(split.uri, split.size) as source:
            for value in _rows(source, split.start, split.start + split.length):
                yield b"", document(value)

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        return joined(self.records(split, reading))


def _rows(source: Source, start: int, end: int) -> Iterator[Any]:
    fastavro = load("fastavro")
    cursor = Cursor(source)
    about, sync = _head(cursor)
    mark = cursor.position - _SYNC
    if start > mark:
        mark = find(source, sync, start, end)
        cursor = Cursor(source, mark + _SYNC)
    if not 0 <= mark < end:
        return
    codec = about.get("avro.codec", b"null").decode("latin-1")
    feed = _Feed(_packed_head(about, sync))
    try:
        blocks = fastavro.block_reader(feed)
    except Exception as error:  # whatever is wrong with the schema
        raise damaged(source, 0, f"its head cannot be understood: {error}") from error
    while mark < end and cursor.fill(1):
        block = cursor.position
        feed.give(_block(cursor, sync))
        mark = cursor.position - _SYNC
        try:
            yield from list(next(blocks))
        except ValueError as error:
            if "codec" in str(error) or "Unrecognized" in str(error):
                raise StorageError(
                    f"is compressed with {codec}, which cannot be read here: {error}",
                    hint=f"install the package that fastavro needs for {codec}",
                ) from error
            raise damaged(source, block, f"a block cannot be decoded: {error}") from error
        except Exception as error:  # a decoder's errors are of many types
            raise damaged(source, block, f"a block cannot be decoded: {error!r}") from error


def _head(cursor: Cursor) -> tuple[dict[str, bytes], bytes]:
    """What the head says, and the mark."""
    if cursor.source.size < len(_MAGIC) or cursor.take(len(_MAGIC)) != _MAGIC:
        raise damaged(cursor.source, 0, "it does not begin as an Avro file does")
    about: dict[str, bytes] = {}
    while count := _number(cursor):
        if count < 0:
            _number(cursor)  # the size of what follows
        for _ in range(abs(count)):
            name = cursor.take(_number(cursor)).decode("utf-8", "replace")
            about[name] = cursor.take(_number(cursor))
    return about, cursor.take(_SYNC)


def _block(cursor: Cursor, sync: bytes) -> bytes:
    """The next block, its mark included, which was compared."""
    begin = cursor.position
    count, size = _number(cursor), _number(cursor)
    if count < 0 or size < 0:
        raise damaged(cursor.source, begin, "the size of a block cannot be right")
    data = cursor.take(size)
    if cursor.take(_SYNC) != sync:
        raise damaged(cursor.source, begin, "no mark at the end of a block")
    return _varint(count) + _varint(size) + data + sync


def _number(cursor: Cursor) -> int:
    number = 0
    for position in range(_LONGEST):
        byte = cursor.take(1)[0]
        number |= (byte & 0x7F) << (7 * position)
        if byte < 0x80:
            return (number >> 1) ^ -(number & 1)
    raise damaged(cursor.source, cursor.position, "a number has no end")


def _varint(number: int) -> bytes:
    rest, data = (number << 1) ^ (number >> 63), bytearray()
    while rest > 0x7F:
        data.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes((*data, rest))


def _packed_head(about: dict[str, bytes], sync: bytes) -> bytes:
    """The head again, with a schema that has no logical types."""
    try:
        schema = _plain(json.loads(about.get("avro.schema", b"null")))
    except ValueError:
        return _MAGIC + b"\0" + sync
    kept = {**about, "avro.schema": json.dumps(schema).encode()}
    pairs = [part for name, value in kept.items() for part in (name.encode(), value)]
    return b"".join((_MAGIC, _varint(len(kept)), *(_varint(len(part)) + part for part in pairs), b"\0", sync))


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if isinstance(schema, dict):
        return {name: _plain(item) for name, item in schema.items() if name != "logicalType"}
    return schema


class _Feed:
    """A file for fastavro that holds what it was given and is not yet read."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def give(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def read(self, length: int = -1) -> bytes:
        end = len(self._data) if length < 0 else self._at + length
        data = self._data[self._at : end]
        self._at += len(data)
        return data

    def tell(self) -> int:
        return self._at
