"""Text: records are lines, as in Hadoop's TextInputFormat; keys are their offsets in the file.

What a line is, and which split has it, is told in `xlearning.formats.lines`. Bytes stay bytes; a byte order
mark at the start of a file is left out. Keys of a compressed file are offsets in what the split decodes to.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats import unpacked
from xlearning.formats.base import Cutting, Record
from xlearning.formats.codecs.registry import of_name
from xlearning.formats.escapes import unescaped
from xlearning.formats.lines import LineRule
from xlearning.formats.source import Files, Source
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

log = logging.getLogger(__name__)

DELIMITER = "xlearning.inputformat.text.delimiter"
MAXIMUM = "xlearning.inputformat.text.maxlength"
_BLOCK = 1 << 20  # bytes read at a time
_SHOWN = 3


class TextFormat:
    """Lines of text; see `xlearning.formats.base.InputFormat`."""

    name = "text"

    def __init__(self, config: Config) -> None:
        self._maximum: int = config.get(MAXIMUM)
        self._rule = LineRule(unescaped(DELIMITER, config), self._maximum)

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        return unpacked.splits(files, cutting, whole=self._rule.looks_back)

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        long = _TooLong(split.uri, self._maximum)
        with reading.open(split.uri, split.size) as source:
            chunks, start = self._chunks(source, split)
            first = split.start == 0
            for at, value in self._rule.records(chunks, first=first, at=start, too_long=long.add):
                yield b"%d" % at, value
        long.tell()

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        long = _TooLong(split.uri, self._maximum)
        with reading.open(split.uri, split.size) as source:
            chunks, start = self._chunks(source, split)
            first = split.start == 0
            yield from self._rule.lines(chunks, first=first, at=start, too_long=long.add)
        long.tell()

    def starts(self, file: FileStatus, reading: Files) -> Iterator[int]:
        """Where each record of a whole file begins."""
        with reading.open(file.path, file.size) as source:
            for at, _ in self._rule.records(blocks(source, 0, file.size), first=True):
                yield at

    def _chunks(self, source: Source, split: InputSplit) -> tuple[Iterator[bytes], int]:
        """The bytes of the records of ``split``, and where they begin."""
        end = split.start + split.length
        codec = unpacked.codec_of(source, split)
        if codec is not None:
            return unpacked.chunks(codec, source, split.start, end, self._rule), 0
        begin, end = (split.start, end) if split.exact else self._rule.owned(source, split.start, end)
        return blocks(source, begin, end), begin


def refuse_compressed(name: str, files: Sequence[FileStatus]) -> None:
    """See that the format ``name`` can read all of ``files``.

    Raises
    ------
    UsageError
        Some are compressed; they are named together.
    """
    known = [(file.path, of_name(file.path)) for file in files]
    refused = [f"{path} (compressed with {codec.name})" for path, codec in known if codec is not None]
    if refused:
        more = f" (and {len(refused) - _SHOWN} more)" if len(refused) > _SHOWN else ""
        raise UsageError(
            f"format {name} cannot read {', '.join(refused[:_SHOWN])}{more}",
            hint="unpack the files first, or use input strategy DOWNLOAD or PLACEHOLDER",
        )


def blocks(source: Source, position: int, end: int) -> Iterator[bytes]:
    """The bytes of a range, in blocks of 1 MiB."""
    while position < end:
        block = source.read(position, min(_BLOCK, end - position))
        if not block:
            return
        position += len(block)
        yield block


class _TooLong:
    """Counts the records of a split that are left out, and says so once."""

    def __init__(self, uri: str, maximum: int) -> None:
        self._uri, self._maximum = uri, maximum
        self._count = 0
        self._first = 0

    def add(self, at: int, size: int) -> None:
        del size
        if not self._count:
            self._first = at
        self._count += 1

    def tell(self) -> None:
        if self._count:
            log.warning(
                "left out of %s: %d record%s of %d bytes or more (%s), the first one at byte %d",
                *(self._uri, self._count, "" if self._count == 1 else "s", self._maximum, MAXIMUM),
                self._first,
            )
