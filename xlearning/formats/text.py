r"""Text: records are lines that end with LF, CR or CRLF, as in Hadoop's TextInputFormat.

A record belongs to the split that holds the last byte of the line end before it; the first record of
a file belongs to the split that starts at 0. So a split is a contiguous range of bytes, and no
line needs to be looked at: `owned` finds the range, `TextFormat.read` copies it in large blocks. Bytes
stay bytes; a byte order mark at the start of a file is dropped, and every record ends with ``\n``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlearning.config import Config
from xlearning.formats import unpacked
from xlearning.formats.base import Cutting, Record
from xlearning.formats.source import Files, Source
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

_BLOCK = 1 << 20  # bytes copied at a time
_SCAN = 1 << 16  # bytes searched at a time for the end of a line
_MARK = b"\xef\xbb\xbf"
_LF, _CR = b"\n", b"\r"


class TextFormat:
    """Lines of text; see `xlearning.formats.base.InputFormat`."""

    name = "text"

    def __init__(self, config: Config) -> None:
        del config

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        return unpacked.splits(files, cutting)

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        for piece in self.lines(split, reading):
            for value in piece.removesuffix(_LF).split(_LF):
                yield b"", value

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        with reading.open(split.uri, split.size) as source:
            yield from _copied(source, split)


def _copied(source: Source, split: InputSplit) -> Iterator[bytes]:
    codec = unpacked.codec_of(source, split)
    if codec is not None:
        blocks = unpacked.owned(codec, source, split)
    else:
        blocks = _blocks(source, *owned(source, split))
    if split.start == 0:
        blocks = _unmarked(blocks)
    lines = _LineEnds()
    for block in blocks:
        if text := lines.normal(block):
            yield text
    if rest := lines.finish():
        yield rest


def _blocks(source: Source, position: int, end: int) -> Iterator[bytes]:
    while position < end:
        block = source.read(position, min(_BLOCK, end - position))
        position += len(block)
        yield block


def _unmarked(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Without the byte order mark at the beginning."""
    begin = b""
    for block in blocks:
        begin += block
        if len(begin) >= len(_MARK):
            break
    if rest := begin.removeprefix(_MARK):
        yield rest
    yield from blocks


def owned(source: Source, split: InputSplit) -> tuple[int, int]:
    """``(start, end)`` of the records that belong to ``split``, as offsets of the file."""
    border = split.start + split.length
    start = 0 if split.start == 0 else _next_start(source, split.start)
    if start > border:  # one record covers the whole split
        return start, start
    return start, source.size if border >= source.size else _next_start(source, border)


def _next_start(source: Source, position: int) -> int:
    """Start of the first record whose line end before it ends at ``position`` or later."""
    while block := source.read(position, _SCAN):
        feed = block.find(_LF)
        back = block.find(_CR, 0, feed if feed >= 0 else len(block))
        if back >= 0:
            after = position + back + 1
            return after + (source.read(after, 1) == _LF)
        if feed >= 0:
            return position + feed + 1
        position += len(block)
    return source.size


class _LineEnds:
    """Makes every line end ``LF``, block by block."""

    def __init__(self) -> None:
        self._held = False  # a CR at the end of a block, whose LF may follow
        self._last = _LF

    def normal(self, block: bytes) -> bytes:
        """What can be said of ``block``, and of what was held back before."""
        if self._held:
            block, self._held = _CR + block, False
        if _CR in block:
            if block.endswith(_CR):
                block, self._held = block[:-1], True
            block = block.replace(b"\r\n", _LF).replace(_CR, _LF)
        if block:
            self._last = block[-1:]
        return block

    def finish(self) -> bytes:
        """What is left: a CR that was held back, or the end of a last line that has none."""
        if self._held or self._last != _LF:
            return _LF
        return b""
