"""The blocks of a bzip2 file, decoded one by one: for reading it from within.

Blocks begin at any bit. One is decoded as a stream of its own, with a head and an end put around it.
"""

from __future__ import annotations

import bz2
from collections.abc import Iterator

from xlearning.errors import StorageError
from xlearning.formats.codecs.base import CHUNK, PIECE, Input, cut_off, damaged
from xlearning.formats.codecs.bzip2 import ERRORS

_NAME = "bzip2"
_BLOCK, _END = 0x314159265359, 0x177245385090  # how a block begins, and the end of a stream
_BITS = 48  # of both
_CRC = 32  # bits; of a block after its mark, of a stream after its end
_HEAD = 4  # bytes: BZh and a digit
_FIRST = _HEAD * 8  # bit where the first block begins
_LARGEST = 2_000_000  # bytes of a compressed block; 900,000 that do not compress need 1 % more
_SPAN = 7  # bytes that 48 bits touch, at most

Mark = tuple[int, bool]
"""Bit where a block or the end of a stream begins, and whether it is a block."""


def split(input_: Input, start: int, end: int) -> Iterator[tuple[bytes, bool]]:
    """The content of the blocks that begin in the bytes ``start`` to ``end``, then that of all later ones.

    A block belongs to where its first bit is; the one at the beginning of the file to ``start`` 0.
    A range without a block gives nothing, but from 0 on, where what comes later matters.

    Yields
    ------
    (bytes, bool)
        A piece, and whether it is within the range.

    Raises
    ------
    OSError, StorageError
        See `xlearning.formats.codecs.base.Codec.decode`.
    """
    marks = _marks(input_, start)
    mark = next(marks, None)
    if start == 0:
        if mark is None or mark[0] != _FIRST or input_.read(0, 3) != b"BZh":
            raise damaged(_NAME, input_, 0, "it does not begin as bzip2 data does")
    elif mark is not None and mark[0] == _FIRST:
        mark = next(marks, None)
    begun = start == 0
    while mark is not None:
        bit, is_block = mark
        ours = bit // 8 < end or (bit == _FIRST and start == 0)
        if not ours and not begun:
            return
        following = next(marks, None)
        if is_block:
            begun = True
            for piece in _content(input_, bit, following):
                yield piece, ours
        else:
            _check_end(input_, bit, following)
        mark = following


def _content(input_: Input, bit: int, following: Mark | None) -> Iterator[bytes]:
    limit = following[0] if following is not None else input_.size * 8
    if limit - bit > _LARGEST * 8:
        raise damaged(_NAME, input_, bit // 8, "a block has no end")
    if following is None:
        raise cut_off(_NAME, input_)
    decoder = bz2.BZ2Decompressor()
    data = _alone(input_, bit, limit)
    try:
        while not decoder.eof:
            found = decoder.decompress(data, CHUNK)
            data = b""
            if found:
                yield found
            elif decoder.needs_input:
                raise damaged(_NAME, input_, bit // 8, "a block ends too early")
    except StorageError:
        raise
    except ERRORS as error:
        raise damaged(_NAME, input_, bit // 8, error) from error


def _alone(input_: Input, bit: int, limit: int) -> bytes:
    """The block in the bits ``bit`` to ``limit`` as a stream; its checksum is that of the stream too."""
    length = limit - bit
    raw = input_.read(bit // 8, -(-limit // 8) - bit // 8)
    block = (int.from_bytes(raw, "big") >> (-limit % 8)) & ((1 << length) - 1)
    checksum = block >> (length - _BITS - _CRC) & 0xFFFFFFFF
    whole = ((block << _BITS | _END) << _CRC) | checksum
    bits = length + _BITS + _CRC
    return b"BZh9" + (whole << (-bits % 8)).to_bytes(-(-bits // 8), "big")


def _check_end(input_: Input, bit: int, following: Mark | None) -> None:
    """After the end of a stream there is another one, or nothing."""
    after = -(-(bit + _BITS + _CRC) // 8)
    if after > input_.size:
        raise cut_off(_NAME, input_)
    if following is None:
        if after != input_.size:
            raise damaged(_NAME, input_, after, "something else follows it")
    elif following[0] != (after + _HEAD) * 8 or input_.read(after, 3) != b"BZh":
        raise damaged(_NAME, input_, after, "something else follows a stream")


def _marks(input_: Input, start: int) -> Iterator[Mark]:
    """The marks from byte ``start`` on, in their order."""
    position = start
    window = b""
    while True:
        more = input_.read(position + len(window), PIECE)
        window += more
        last = not more
        # A mark that may go on in the next window is found there.
        limit = len(window) if last else max(0, len(window) - _SPAN)
        found = sorted(_within(window, limit))
        yield from ((position * 8 + bit, is_block) for bit, is_block in found)
        if last:
            return
        position += limit
        window = window[limit:]


def _within(window: bytes, limit: int) -> Iterator[Mark]:
    """Marks whose first byte lies before ``limit``."""
    for mark in (_BLOCK, _END):
        for shift in range(8):
            pattern = (mark << (8 - shift)).to_bytes(_SPAN, "big")
            inner = pattern[1:6]  # five whole bytes, wherever in its byte the mark begins
            at = window.find(inner)
            while at >= 0:
                first = at - 1
                if 0 <= first < limit and _is_mark(window, first, shift, mark):
                    yield first * 8 + shift, mark == _BLOCK
                at = window.find(inner, at + 1)


def _is_mark(window: bytes, first: int, shift: int, mark: int) -> bool:
    seen = window[first : first + _SPAN].ljust(_SPAN, b"\0")
    return int.from_bytes(seen, "big") >> (8 - shift) & ((1 << _BITS) - 1) == mark
