"""Arithmetic of splits, as in Hadoop's FileInputFormat. Pure."""

from __future__ import annotations

DEFAULT_BLOCK = 128 << 20  # bytes; for file systems without blocks
_SLOP = 1.1  # the last split may be larger by a tenth, so that no tiny one is left over


def split_size(block: int, *, minimum: int = 1, maximum: int = 0) -> int:
    """Bytes of a split: a block, but at most ``maximum`` (0: no limit) and at least ``minimum``.

    The lower bound wins over the upper one.
    """
    size = block or DEFAULT_BLOCK
    if maximum > 0:
        size = min(size, maximum)
    return max(size, minimum, 1)


def cut(length: int, size: int) -> list[tuple[int, int]]:
    """``(start, length)`` of the splits of ``length`` bytes into pieces of ``size`` bytes.

    An empty file is one empty split.
    """
    pieces = []
    left = length
    while left / size > _SLOP:
        pieces.append((length - left, size))
        left -= size
    if left or not pieces:
        pieces.append((length - left, left))
    return pieces
