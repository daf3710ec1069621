"""Arithmetic of splits, as in Hadoop's FileInputFormat. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.formats.base import Cutting
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

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


def by_size(files: Sequence[FileStatus], cutting: Cutting, *, smallest: int = 1) -> list[InputSplit]:
    """The splits of ``files`` whose contents need not be looked at.

    Parameters
    ----------
    smallest : int
        What the format itself wants, in bytes; a larger ``cutting.minimum`` counts.
    """
    found = []
    for file in files:
        minimum = max(smallest, cutting.minimum)
        size = split_size(file.block_size, minimum=minimum, maximum=cutting.maximum)
        found += [InputSplit(file.path, at, length, file.size) for at, length in cut(file.size, size)]
    return found


def whole(files: Sequence[FileStatus]) -> list[InputSplit]:
    """One split for each file."""
    return [InputSplit(file.path, 0, file.size, file.size) for file in files]
