"""Splits of files whose contents need not be looked at."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.formats.base import Cutting
from xlearning.formats.splits import cut, split_size
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit


def by_size(files: Sequence[FileStatus], cutting: Cutting, *, smallest: int = 1) -> list[InputSplit]:
    """Every file cut into pieces.

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
