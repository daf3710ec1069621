"""Records as the program reads them from its standard input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xlearning.formats.base import InputFormat, LineFormat, Record
from xlearning.formats.source import Files
from xlearning.job import InputSplit

_PIECE = 1 << 20  # bytes


def pieces(format_: InputFormat, split: InputSplit, reading: Files) -> Iterator[bytes]:
    """The bytes that a program reads for ``split``: every value as a line.

    Raises
    ------
    OSError, xlearning.errors.StorageError
        See `xlearning.formats.base.InputFormat.records`.
    """
    if isinstance(format_, LineFormat):
        return format_.lines(split, reading)
    return joined(format_.records(split, reading))


def joined(records: Iterable[Record]) -> Iterator[bytes]:
    """Values as lines, in pieces of about 1 MiB."""
    held: list[bytes] = []
    size = 0
    for _, value in records:
        held += (value, b"\n")
        size += len(value) + 1
        if size >= _PIECE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
