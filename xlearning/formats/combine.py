"""Text in splits of several files, as in Hadoop's CombineTextInputFormat, but always in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlearning.formats import unpacked
from xlearning.formats.base import Cutting, Record
from xlearning.formats.source import Files
from xlearning.formats.splits import split_size
from xlearning.formats.text import TextFormat
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit


class CombineFormat(TextFormat):
    """Text whose files, in their order, fill splits up to the largest size, or a block."""

    name = "combine"

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        block = max((file.block_size for file in files), default=0)
        target = split_size(block, minimum=cutting.minimum, maximum=cutting.maximum)
        filled = [file for file in files if file.size]
        bins: list[list[InputSplit]] = []
        size = target  # of the last bin; a first one must be begun
        for piece in unpacked.splits(filled, Cutting(target, target), whole=self._rule.looks_back):
            if size + piece.length > target:
                bins.append([])
                size = 0
            bins[-1].append(piece)
            size += piece.length
        return [_together(pieces) for pieces in bins]

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        for part in split.parts or (split,):
            yield from super().records(part, reading)

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        for part in split.parts or (split,):
            yield from super().lines(part, reading)


def _together(pieces: list[InputSplit]) -> InputSplit:
    first = pieces[0]
    if len(pieces) == 1:
        return first
    length = sum(piece.length for piece in pieces)
    return InputSplit(first.uri, first.start, length, first.size, parts=tuple(pieces))
