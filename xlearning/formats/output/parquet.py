"""Parquet as output: one column of text, ``line``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from xlearning.config import Config
from xlearning.errors import StorageError
from xlearning.formats import arrow
from xlearning.formats.output.base import Parts

_GROUP = 32 << 20  # bytes of text in a row group


class ParquetFormat:
    """See `xlearning.formats.output.base.OutputFormat`."""

    name = "parquet"

    def __init__(self, config: Config) -> None:
        del config

    def writer(self, parts: Parts) -> ParquetWriter:
        return ParquetWriter(parts)


class ParquetWriter:
    """See `xlearning.formats.output.base.RecordWriter`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._open: tuple[BinaryIO, arrow.TextWriter] | None = None
        self._begun = False
        self._held: list[bytes] = []
        self._size = 0  # bytes of what is held
        self._written = 0  # records

    def write(self, records: Sequence[bytes]) -> None:
        for record in records:
            self._held.append(record)
            self._size += len(record)
            if self._size >= min(_GROUP, self._parts.limit):
                self._group()

    def close(self) -> None:
        if self._held or not self._begun:
            self._group()
        self._finish()

    def _group(self) -> None:
        try:
            column = arrow.text(self._held)
        except ValueError as error:
            first = self._written + 1
            raise StorageError(
                f"a line among {first} to {self._written + len(self._held)} is not UTF-8, as text in Parquet "
                f"must be: {error}",
                hint="use the output format text or sequencefile for bytes",
            ) from error
        if self._open is None:
            self._begun = True
            created = self._parts.create(".parquet")
            self._open = created, arrow.TextWriter(created)
        file, writer = self._open
        writer.write(column)
        self._written += len(self._held)
        self._held, self._size = [], 0
        if file.tell() >= self._parts.limit:
            self._finish()

    def _finish(self) -> None:
        if self._open is not None:
            file, writer = self._open
            writer.close()
            file.close()
            self._open = None
