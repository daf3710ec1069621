"""Formats of one's own: CSV files as lines of JSON, and lines of JSON as CSV files.

    xl-submit --files csv_format.py \\
        --input-strategy STREAM --inputformat csv_format:CsvInput --input hdfs:///tables/2026 \\
        --output-strategy STREAM --outputformat csv_format:CsvOutput --output hdfs:///user/me/scores \\
        --conf csv.delimiter=';' -- python3 score.py
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from xlearning.config import Config
from xlearning.errors import StorageError
from xlearning.formats.base import Cutting, Record
from xlearning.formats.output.base import Parts
from xlearning.formats.source import Files
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

BLOCK = 1 << 20  # bytes


def delimiter(config: Config) -> str:
    """The property ``csv.delimiter``: any name will do, as long as it is not one of XLearning's."""
    return config.text("csv.delimiter") or ","


class CsvInput:
    """A record for each row, as a JSON object with the names of the file's first row."""

    def __init__(self, config: Config) -> None:
        self._delimiter = delimiter(config)

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:  # noqa: ARG002
        # A line end may stand inside quotes, so that a row cannot be found from the middle of a file.
        return [InputSplit(file.path, 0, file.size, file.size) for file in files]

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        rows = csv.reader(self._lines(split, reading), delimiter=self._delimiter)
        names = next(rows, [])
        for row in filter(None, rows):
            if len(row) != len(names):
                raise StorageError(
                    f"line {rows.line_num}: a row of {len(row)} values under {len(names)} names"
                )
            yield b"", json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False).encode()

    def _lines(self, split: InputSplit, reading: Files) -> Iterator[str]:
        with reading.open(split.uri, split.size) as source:
            rest, position = b"", 0
            while block := source.read(position, BLOCK):
                position += len(block)
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    yield line.decode() + "\n"
            if rest:
                yield rest.decode()


class CsvOutput:
    """A file with a first row of names, from lines that are JSON objects with the same names."""

    def __init__(self, config: Config) -> None:
        self._delimiter = delimiter(config)

    def writer(self, parts: Parts) -> CsvWriter:
        return CsvWriter(parts, self._delimiter)


class CsvWriter:
    def __init__(self, parts: Parts, delimiter: str) -> None:
        self._parts, self._delimiter = parts, delimiter
        self._file: BinaryIO = parts.create(".csv")
        self._names: list[str] = []

    def write(self, records: Sequence[bytes]) -> None:
        if self._file.tell() >= self._parts.limit:
            self._file.close()
            self._file, self._names = self._parts.create(".csv"), []
        text = io.StringIO(newline="")
        rows = csv.writer(text, delimiter=self._delimiter, lineterminator="\n")
        for record in records:
            row = json.loads(record)
            if not self._names:
                self._names = list(row)
                rows.writerow(self._names)
            if row.keys() != set(self._names):
                raise StorageError(f"names {', '.join(row)} in a file with {', '.join(self._names)}")
            rows.writerow([row[name] for name in self._names])
        self._file.write(text.getvalue().encode())

    def close(self) -> None:
        self._file.close()
