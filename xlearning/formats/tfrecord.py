"""TensorFlow's TFRecord: a record is bytes. A file is never cut, for nothing in it marks a beginning.

Records are mostly binary, and a line cannot hold a line end: where records are fed as lines, one that
holds LF is an error rather than two lines.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence

from xlearning.config import Config
from xlearning.errors import StorageError, UsageError
from xlearning.formats.base import Cutting, Record
from xlearning.formats.cursor import Cursor, damaged
from xlearning.formats.framing import joined
from xlearning.formats.libraries import load
from xlearning.formats.source import Files, Source
from xlearning.formats.splits import whole
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

_HEAD = struct.Struct("<QI")  # length of the record, check of these 8 bytes
_CHECK = struct.Struct("<I")
_PACKED = (".gz", ".gzip", ".zlib", ".zz", ".deflate", ".bz2", ".zst", ".snappy", ".lz4")
_SHOWN = 3


class TFRecordFormat:
    """See `xlearning.formats.base.InputFormat`. Records have no keys."""

    name = "tfrecord"

    def __init__(self, config: Config) -> None:
        del config

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        packed = [file.path for file in files if file.name.lower().endswith(_PACKED)]
        if packed:
            more = f" (and {len(packed) - _SHOWN} more)" if len(packed) > _SHOWN else ""
            raise UsageError(
                f"format {self.name} cannot read compressed files: {', '.join(packed[:_SHOWN])}{more}",
                hint="unpack the files first, or use input strategy DOWNLOAD or PLACEHOLDER",
            )
        return whole(files)

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        with reading.open(split.uri, split.size) as source:
            for _, value in _read(source):
                yield b"", value

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        return joined(self.unbroken(split, reading))

    def unbroken(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        with reading.open(split.uri, split.size) as source:
            yield from _unbroken(source)


def _unbroken(source: Source) -> Iterator[Record]:
    for position, value in _read(source):
        if b"\n" in value:
            source.position = position
            raise StorageError(
                f"the record at byte {position} holds a line end, so it cannot be fed as a line",
                hint="xlearning.inputformat.io=RAWBYTES or TYPEDBYTES feeds any record",
            )
        yield b"", value


def _read(source: Source) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of every record."""
    crc: Callable[[bytes], int] = load("google-crc32c").value
    cursor = Cursor(source)
    while cursor.fill(_HEAD.size):
        position = cursor.position
        head = cursor.take(_HEAD.size)
        length, check = _HEAD.unpack(head)
        if masked(crc(head[:8])) != check:
            why = "the length of a record does not agree with its checksum"
            raise damaged(source, position, why, foreign=position == 0)
        value = cursor.take(length)
        if masked(crc(value)) != _CHECK.unpack(cursor.take(_CHECK.size))[0]:
            raise damaged(source, position, "a record does not agree with its checksum")
        yield position, value


def masked(crc: int) -> int:
    """A checksum as TFRecord stores it."""
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
