"""Hadoop's SequenceFile, in two forms of its keys and values.

See `xlearning.formats.sequence.writables` for what they look like. A segment of a file belongs to the
split in which its mark begins, the first one to that which holds the end of the file's head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlearning.config import Config
from xlearning.formats.base import Cutting, Record
from xlearning.formats.cursor import damaged
from xlearning.formats.framing import joined
from xlearning.formats.sequence.reader import SequenceReader
from xlearning.formats.sequence.writables import form_of
from xlearning.formats.source import Files
from xlearning.formats.splits import by_size
from xlearning.fs.base import FileStatus, parent
from xlearning.job import InputSplit

_SMALLEST = 102_400  # bytes; between two marks there is about as much


class SequenceFileFormat:
    """Keys and values as Hadoop's streaming puts them into a pipe."""

    name = "sequencefile"
    _raw = True

    def __init__(self, config: Config) -> None:
        del config

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        return by_size(without_indexes(files), cutting, smallest=_SMALLEST)

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        return self._records(split, reading, keys=True)

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        return joined(self._records(split, reading, keys=False))

    def _records(self, split: InputSplit, reading: Files, *, keys: bool) -> Iterator[Record]:
        with reading.open(split.uri, split.size) as source:
            reader = SequenceReader(source, split)
            value_form = form_of(reader.header.value_class, raw=self._raw)
            key_form = form_of(reader.header.key_class, raw=self._raw) if keys else None
            try:
                for key, value in reader:
                    yield key_form(key) if key_form is not None else b"", value_form(value)
            except ValueError as error:
                raise damaged(source, reader.place, str(error)) from None


class SequenceFileTextFormat(SequenceFileFormat):
    """Keys and values as their ``toString`` gives them."""

    name = "sequencefile-text"
    _raw = False


def without_indexes(files: Sequence[FileStatus]) -> list[FileStatus]:
    """``files`` without the indexes of MapFiles, which are folders of two files: ``data`` and ``index``."""
    data = {parent(file.path) for file in files if file.name == "data"}
    return [file for file in files if file.name != "index" or parent(file.path) not in data]
