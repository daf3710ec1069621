"""Compressed files of text: their splits, and the decoded bytes that belong to a split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlearning.formats import libraries
from xlearning.formats.base import Cutting
from xlearning.formats.codecs import bzip2_blocks
from xlearning.formats.codecs.base import Codec
from xlearning.formats.codecs.registry import HEAD, find, of_name
from xlearning.formats.lines import LineRule
from xlearning.formats.needs import of_files
from xlearning.formats.not_text import refuse_binary
from xlearning.formats.source import Source
from xlearning.formats.splits import by_size
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit


def splits(files: Sequence[FileStatus], cutting: Cutting, *, whole: bool) -> list[InputSplit]:
    """The splits of ``files``: one for each that cannot be read from within.

    Parameters
    ----------
    whole : bool
        Whether compressed files must not be cut at all.

    Raises
    ------
    UsageError
        Packages are missing for some of the files; they are named together.
    """
    found = []
    for file in files:
        codec = of_name(file.path)
        if codec is None or (codec.splittable and not whole):
            found += by_size([file], cutting)
        else:
            found.append(InputSplit(file.path, 0, file.size, file.size))
    libraries.check(of_files(file.path for file in files))
    return found


def codec_of(source: Source, split: InputSplit) -> Codec | None:
    """The codec of the file of ``split``; its beginning is looked at with the first split.

    Raises
    ------
    OSError, xlearning.errors.StorageError
        See `xlearning.formats.codecs.registry.find` and `xlearning.formats.not_text.refuse_binary`.
    """
    if split.start:
        return of_name(split.uri)
    head = source.read(0, HEAD)
    codec = find(split.uri, head)
    if codec is None:
        refuse_binary(source, head)
    return codec


def chunks(codec: Codec, source: Source, start: int, end: int, rule: LineRule) -> Iterator[bytes]:
    """The decoded bytes of the records that belong to the split ``[start, end)``.

    The decoded bytes of the blocks in the split take the place of its bytes; else the rule is that of
    `xlearning.formats.lines`.

    Raises
    ------
    OSError, xlearning.errors.StorageError
        See `xlearning.formats.codecs.base.Codec.decode`.
    """
    if start == 0 and end >= source.size:
        return codec.decode(source)
    pieces = _Pieces(bzip2_blocks.split(source, start, end))
    return rule.clip(pieces.inside(), pieces.beyond(), first=start == 0)


class _Pieces:
    """The pieces of a split, and then those beyond it."""

    def __init__(self, pieces: Iterator[tuple[bytes, bool]]) -> None:
        self._pieces = pieces
        self._held: list[bytes] = []  # the first one beyond

    def inside(self) -> Iterator[bytes]:
        for piece, ours in self._pieces:
            if not ours:
                self._held.append(piece)
                return
            yield piece

    def beyond(self) -> Iterator[bytes]:
        yield from self._held
        for piece, _ in self._pieces:
            yield piece
