"""What an input format is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from xlearning.formats.source import Source
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit


class InputFormat(Protocol):
    """Cuts files into splits and reads them. Implementations keep no state.

    For every way to cut a file, the records that `read` gives for its splits are the records of the
    whole file, each of them once.
    """

    name: str

    def refusal(self, file: FileStatus) -> str | None:
        """What keeps this format from reading ``file``, such as "compressed with gzip"; None: nothing."""

    def splits(self, file: FileStatus, *, minimum: int, maximum: int) -> list[InputSplit]:
        """The splits of ``file``, in its order.

        Parameters
        ----------
        minimum, maximum : int
            Bounds of a split's size in bytes; see `xlearning.formats.splits.split_size`.
        """

    def read(self, source: Source, split: InputSplit) -> Iterator[bytes]:
        r"""The records of ``split`` as large pieces of bytes; every record ends with ``\n``.

        Raises
        ------
        OSError, xlearning.errors.StorageError
            The file cannot be read, or is shorter than when it was listed.
        """
