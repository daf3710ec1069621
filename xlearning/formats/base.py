"""What an input format is.

A format is made with the job's configuration and keeps no other state. For every way to cut a file,
the records that it gives for the splits are the records of the whole file, each of them once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from xlearning.formats.source import Files
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

Record = tuple[bytes, bytes]
"""Key and value, as they go into the pipe. What a key is, each format says; empty where it has none."""


@dataclass(frozen=True)
class Cutting:
    """How files are to be cut.

    Attributes
    ----------
    minimum, maximum : int
        Bounds of a split's size in bytes; see `xlearning.formats.splits.split_size`.
    enough : int
        So many splits are enough for whoever asks: a format that reads files to cut them may stop there.
        0: all are wanted.
    """

    minimum: int = 1
    maximum: int = 0
    enough: int = 0


class InputFormat(Protocol):
    """Cuts files into splits and reads them. Its class is called with the job's `Config` alone."""

    name: str

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        """The splits of ``files``, in their order.

        Parameters
        ----------
        files : sequence of FileStatus
            Those of one input.
        cutting : Cutting
        reading : Files
            For formats that must look into a file to cut it.

        Raises
        ------
        xlearning.errors.UsageError
            The format cannot read some of the files; they are named together.
        """

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        """The records of ``split``.

        Raises
        ------
        OSError, xlearning.errors.StorageError
            The file cannot be read, is damaged, or is shorter than when it was listed.
        """


@runtime_checkable
class UnbrokenFormat(Protocol):
    """A format of records that may be anything, so that not every one of them can be a line."""

    def unbroken(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        """The records of `InputFormat.records`, where one whose value holds a line end is an error.

        Raises
        ------
        OSError, xlearning.errors.StorageError
            See `InputFormat.records`; a value holds a line end.
        """


@runtime_checkable
class LineFormat(Protocol):
    """A format with a fast way to what programs read most: values as lines, without keys."""

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        r"""The values of `InputFormat.records`, each with ``\n`` at its end, in large pieces."""
