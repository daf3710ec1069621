"""How a SequenceFile begins, and what stands between its segments."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from xlearning.formats.cursor import Cursor, damaged
from xlearning.formats.sequence.numbers import vlong, vlong_size, write_vlong

SYNC = 16  # bytes of the mark between segments
ESCAPE = b"\xff\xff\xff\xff"  # stands before the mark, where the length of a record would be
_MAGIC = b"SEQ"
_OLDEST, _WITH_CODEC, _WITH_METADATA = 4, 5, 6
_INT = struct.Struct(">i")
_DEFAULT_CODEC = "org.apache.hadoop.io.compress.DefaultCodec"


@dataclass(frozen=True)
class Header:
    """What the head of a file says.

    Attributes
    ----------
    codec : str
        Java class; empty where nothing is compressed.
    blocks : bool
        Whether many records are compressed together.
    sync : bytes
        The file's own mark, 16 bytes.
    size : int
        Bytes of the head: where the first segment begins.
    """

    key_class: str
    value_class: str
    codec: str = ""
    blocks: bool = False
    sync: bytes = b""
    size: int = 0


def read_header(cursor: Cursor) -> Header:
    """The head of a file; ``cursor`` stands at its first byte.

    Raises
    ------
    StorageError
        It is no SequenceFile, or one of a version that is not read.
    """
    source = cursor.source
    if source.size < 4 or cursor.take(3) != _MAGIC:
        raise damaged(source, 0, "it does not begin as a SequenceFile does", foreign=True)
    version = cursor.take(1)[0]
    if not _OLDEST <= version <= _WITH_METADATA:
        raise damaged(source, 3, f"a SequenceFile of version {version}, only 4 to 6 are read")
    key_class, value_class = _text(cursor), _text(cursor)
    compressed, blocks = cursor.take(1) != b"\0", cursor.take(1) != b"\0"
    codec = ""
    if compressed:
        codec = _text(cursor) if version >= _WITH_CODEC else _DEFAULT_CODEC
    if version >= _WITH_METADATA:
        (count,) = _INT.unpack(cursor.take(4))
        for _ in range(2 * count):
            _text(cursor)
    sync = cursor.take(SYNC)
    return Header(key_class, value_class, codec, compressed and blocks, sync, cursor.position)


def write_header(header: Header) -> bytes:
    """The head of a file of the newest version; ``header.size`` is not looked at."""
    names = b"".join(_packed(name) for name in (header.key_class, header.value_class))
    codec = _packed(header.codec) if header.codec else b""
    flags = bytes((bool(header.codec), header.blocks))
    return b"".join((_MAGIC, bytes((_WITH_METADATA,)), names, flags, codec, _INT.pack(0), header.sync))


def read_vlong(cursor: Cursor) -> int:
    """The number of variable length that comes next."""
    first = cursor.take(1)
    return vlong(first + cursor.take(vlong_size(first[0]) - 1))[0]


def _text(cursor: Cursor) -> str:
    at = cursor.position
    data = cursor.take(read_vlong(cursor))
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise damaged(cursor.source, at, "a name in its head is no text") from None


def _packed(text: str) -> bytes:
    data = text.encode()
    return write_vlong(len(data)) + data
