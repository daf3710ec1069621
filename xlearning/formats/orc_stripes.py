"""Where the stripes of an ORC file begin: the footer's list of them, which pyarrow does not show."""

from __future__ import annotations

import zlib
from collections.abc import Callable

_STRIPES, _OFFSET = 3, 1  # fields of the footer, and of a stripe in it
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

Unpack = Callable[[bytes], bytes]


def offsets(footer: bytes) -> list[int]:
    """Offset of every stripe; ``footer`` is unpacked.

    Raises
    ------
    ValueError
        It cannot be understood.
    """
    return [
        next((int(value) for field, value in _fields(stripe) if field == _OFFSET), 0)
        for number, stripe in _fields(footer)
        if number == _STRIPES and isinstance(stripe, bytes)
    ]


def unpacked(data: bytes, unpack: Unpack | None) -> bytes:
    """A compressed part of the file, which is a row of chunks, in one piece.

    Parameters
    ----------
    unpack : callable or None
        For one chunk; None where the file is not compressed.

    Raises
    ------
    ValueError, zlib.error, OSError
        It cannot be unpacked.
    """
    if unpack is None:
        return data
    parts, at = [], 0
    while at + 3 <= len(data):
        head = int.from_bytes(data[at : at + 3], "little")
        chunk = data[at + 3 : at + 3 + (head >> 1)]
        parts.append(chunk if head & 1 else unpack(chunk))
        at += 3 + (head >> 1)
    return b"".join(parts)


def inflate(data: bytes) -> bytes:
    """A chunk of the codec ZLIB."""
    return zlib.decompress(data, wbits=-zlib.MAX_WBITS)


def snappy_size(data: bytes) -> int:
    """The number of bytes that a chunk of the codec SNAPPY unpacks to.

    Raises
    ------
    ValueError
        The chunk is damaged.
    """
    try:
        return _varint(data, 0)[0]
    except IndexError:
        raise ValueError("a chunk has no size") from None


def lz4_size(data: bytes) -> int:
    """The same of LZ4, where it follows from the sequences of literals and copies."""
    total = at = 0
    try:
        while at < len(data):
            token = data[at]
            literals, at = _lz4_length(data, at + 1, token >> 4)
            total, at = total + literals, at + literals
            if at < len(data):  # the last sequence has no copy
                copied, at = _lz4_length(data, at + 2, token & 15)
                total += copied + 4
    except IndexError:
        raise ValueError("a chunk is cut off") from None
    return total


def _lz4_length(data: bytes, at: int, length: int) -> tuple[int, int]:
    if length == 15:
        while (more := data[at]) == 255:
            length, at = length + more, at + 1
        length, at = length + more, at + 1
    return length, at


def _fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a message in protobuf's encoding."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    try:
        while at < len(data):
            tag, at = _varint(data, at)
            kind = tag & 7
            if kind == _VARINT:
                value: int | bytes
                value, at = _varint(data, at)
            elif kind in (_BYTES, _FIXED64, _FIXED32):
                size = {_FIXED64: 8, _FIXED32: 4}.get(kind, -1)
                if size < 0:
                    size, at = _varint(data, at)
                value, at = data[at : at + size], at + size
            else:
                raise ValueError(f"its footer has a field of kind {kind}")
            found.append((tag >> 3, value))
    except IndexError:
        raise ValueError("its footer is cut off") from None
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
