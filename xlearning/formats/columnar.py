"""Parquet and ORC: rows as lines of JSON, and one column of text or bytes as the lines themselves.

A row group of Parquet belongs to the split that holds its middle, a stripe of ORC to the one in which
it begins. A null in a single column is an empty line; a value with a line end is an error.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xlearning.config import Config
from xlearning.errors import StorageError
from xlearning.formats import arrow
from xlearning.formats.base import Cutting, Record
from xlearning.formats.framing import joined
from xlearning.formats.jsontext import encoder
from xlearning.formats.source import Files, Source
from xlearning.formats.splits import by_size
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

Batches = Callable[[Source, int, int, Sequence[str]], Iterator[Any]]


class _ColumnarFormat:
    name = ""
    _batches: Batches

    def __init__(self, config: Config) -> None:
        self._columns: tuple[str, ...] = config.get("xlearning.inputformat.columns") or ()

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        return by_size(files, cutting)

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        return self._values(split, reading, unbroken=False)

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        return joined(self.unbroken(split, reading))

    def unbroken(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        return self._values(split, reading, unbroken=True)

    def _values(self, split: InputSplit, reading: Files, *, unbroken: bool) -> Iterator[Record]:
        document = encoder(lambda data: base64.b64encode(data).decode())
        end = split.start + split.length
        with reading.open(split.uri, split.size) as source:
            for batch in type(self)._batches(source, split.start, end, self._columns):
                plain = arrow.strings(batch)
                if plain is None:
                    for row in _rows(batch):
                        yield b"", document(row)
                    continue
                for value in plain:
                    if unbroken and value is not None and b"\n" in value:
                        raise StorageError(
                            f"column {batch.schema.names[0]} has a value with a line end, which cannot be "
                            "fed as a line",
                            hint="name a second column in xlearning.inputformat.columns: rows are JSON then",
                        )
                    yield b"", value or b""


def _rows(batch: Any) -> list[dict[str, Any]]:
    try:
        return arrow.rows(batch)
    except TypeError as error:
        raise StorageError(str(error)) from error


class ParquetFormat(_ColumnarFormat):
    """See `xlearning.formats.base.InputFormat`. Records have no keys."""

    name = "parquet"
    _batches = staticmethod(arrow.parquet)


class OrcFormat(_ColumnarFormat):
    """See `xlearning.formats.base.InputFormat`. Records have no keys."""

    name = "orc"
    _batches = staticmethod(arrow.orc)
