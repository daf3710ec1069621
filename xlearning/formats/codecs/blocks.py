"""The blocks that Hadoop puts snappy and lz4 into.

A file repeats: the number of decoded bytes U (4 bytes, big-endian), then chunks until U bytes are
decoded, each as the number of its bytes (4) and the bytes. A block with U = 0 holds nothing; more may
follow it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NoReturn

from xlearning.formats.codecs.base import PIECE, Input, cut_off, damaged

LIMIT = 1 << 26  # bytes of a chunk, decoded or not; Hadoop's have at most 256 KiB
_NUMBER = struct.Struct(">I")

Unpack = Callable[[bytes, int], bytes]
"""Chunk and the most bytes that it may decode to -> content; `ValueError` for damaged ones."""


def decode(codec: str, input_: Input, unpack: Unpack) -> Iterator[bytes]:
    """The content of all blocks."""
    tape = _Tape(codec, input_)
    while not tape.at_end():
        left = tape.number()
        while left:
            place = tape.position
            length = tape.number()
            if length > LIMIT:
                tape.refuse(place, f"a chunk has {length} bytes")
            try:
                found = unpack(tape.take(length), min(left, LIMIT))
            except ValueError as error:
                tape.refuse(place, error)
            if not found:
                tape.refuse(place, f"a chunk is empty where {left} bytes are to follow")
            left -= len(found)
            yield found


class Blocks:
    """A `xlearning.formats.codecs.base.Compressor` that writes blocks of one chunk.

    Parameters
    ----------
    size : int
        Bytes of a block before compression.
    """

    def __init__(self, size: int, pack: Callable[[bytes], bytes]) -> None:
        self._size, self._pack = size, pack
        self._held = bytearray()
        self._empty = True

    def compress(self, data: bytes) -> bytes:
        """See `xlearning.formats.codecs.base.Compressor.compress`."""
        self._held += data
        ready = []
        at = 0
        while len(self._held) - at >= self._size:
            ready.append(self._block(bytes(self._held[at : at + self._size])))
            at += self._size
        del self._held[:at]
        return b"".join(ready)

    def flush(self) -> bytes:
        """See `xlearning.formats.codecs.base.Compressor.flush`. Nothing at all is an empty block."""
        if self._held:
            return self._block(bytes(self._held))
        return _NUMBER.pack(0) if self._empty else b""

    def _block(self, data: bytes) -> bytes:
        self._empty = False
        packed = self._pack(data)
        return _NUMBER.pack(len(data)) + _NUMBER.pack(len(packed)) + packed


class _Tape:
    """Bytes in their order, read in large pieces."""

    def __init__(self, codec: str, input_: Input) -> None:
        self._codec, self._input = codec, input_
        self._held, self._at = b"", 0
        self.position = 0

    def at_end(self) -> bool:
        return self.position >= self._input.size

    def number(self) -> int:
        found: int = _NUMBER.unpack(self.take(_NUMBER.size))[0]
        return found

    def take(self, length: int) -> bytes:
        if self.position + length > self._input.size:
            raise cut_off(self._codec, self._input)
        missing = length - (len(self._held) - self._at)
        if missing > 0:
            have = self._held[self._at :]
            more = self._input.read(self.position + len(have), max(missing, PIECE))
            self._held, self._at = have + more, 0
        data = self._held[self._at : self._at + length]
        self._at += length
        self.position += length
        return data

    def refuse(self, position: int, why: object) -> NoReturn:
        raise damaged(self._codec, self._input, position, why)
