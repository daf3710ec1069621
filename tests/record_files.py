"""Record formats over files on disk: what each split gives, for any way to cut the file."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable
from pathlib import Path

import google_crc32c

from xlearning.config import Config
from xlearning.errors import StorageError
from xlearning.formats.base import InputFormat, LineFormat, Record
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.job import InputSplit


def tfrecords(values: Iterable[bytes]) -> bytes:
    """A TFRecord file."""
    heads = ((struct.pack("<Q", len(value)), value) for value in values)
    return b"".join(head + masked(head) + value + masked(value) for head, value in heads)


def masked(data: bytes) -> bytes:
    """The checksum of a part of a TFRecord file."""
    crc = google_crc32c.value(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


class RecordFile:
    """One file, read with the format ``name`` and the job's ``properties``."""

    def __init__(self, name: str, path: Path, **properties: str) -> None:
        given = {f"xlearning.{key.replace('_', '.')}": text for key, text in properties.items()}
        self.format: InputFormat = input_format(name, Config.from_properties(given))
        self.uri, self.size = path.as_uri(), path.stat().st_size

    def split(self, start: int, end: int) -> InputSplit:
        return InputSplit(self.uri, start, end - start, self.size)

    def records(self, start: int = 0, end: int | None = None) -> list[Record]:
        split = self.split(start, self.size if end is None else end)
        return list(self.format.records(split, Files(FileSystems())))

    def lines(self, start: int = 0, end: int | None = None) -> bytes:
        assert isinstance(self.format, LineFormat)
        split = self.split(start, self.size if end is None else end)
        return b"".join(self.format.lines(split, Files(FileSystems())))

    def values(self, start: int = 0, end: int | None = None) -> list[bytes]:
        return [value for _, value in self.records(start, end)]

    def fault(self) -> str:
        """Why the file cannot be read, and where, as a worker tells it."""
        reading = Files(FileSystems())
        try:
            list(self.format.records(self.split(0, self.size), reading))
        except StorageError as error:
            return f"{reading.place}: {error}"
        raise AssertionError(f"{self.uri} can be read")

    def holds_for(self, cuts: Iterable[int]) -> None:
        """What the splits between ``cuts`` give together is what the file gives, in both ways to read."""
        bounds = [0, *sorted(cut for cut in set(cuts) if 0 < cut < self.size), self.size]
        parts = [self.records(*pair) for pair in itertools.pairwise(bounds)]
        assert [record for part in parts for record in part] == self.records()
        if isinstance(self.format, LineFormat):
            for pair, part in zip(itertools.pairwise(bounds), parts, strict=True):
                assert self.lines(*pair) == b"".join(value + b"\n" for _, value in part)
