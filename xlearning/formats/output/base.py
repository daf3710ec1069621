"""What an output format is.

A format is made with the job's configuration and keeps no other state. A record is a line of the
program's standard output without the LF at its end. A CR is a byte as any other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, Protocol, runtime_checkable


class Parts(Protocol):
    """Where a writer gets the files from that it fills.

    Attributes
    ----------
    limit : int
        Bytes after which a writer begins another part; at least 1.
    """

    limit: int

    def create(self, ending: str = "") -> BinaryIO:
        """The next file of this container's output, open for writing.

        Its name is made here: ``part-r-00003``, then ``part-r-00003_00001``, each with ``ending`` (such
        as ``.gz``). It is part of the output as soon as the writer has closed it. It can be written
        and told its position, no more.

        Raises
        ------
        OSError, xlearning.errors.XLearningError
            It cannot be made, or one before it could not be stored.
        """


class RecordWriter(Protocol):
    """Writes the output of one program. One thread's own.

    When something goes wrong nothing more is called, and what was written is thrown away.
    """

    def write(self, records: Sequence[bytes]) -> None:
        """Write the next records, in their order.

        Raises
        ------
        OSError, xlearning.errors.XLearningError
            They cannot be written.
        """

    def close(self) -> None:
        """Write what is left and close every file. A program that wrote nothing has one empty part.

        Raises
        ------
        OSError, xlearning.errors.XLearningError
            Something cannot be written.
        """


@runtime_checkable
class BytesWriter(Protocol):
    """A writer with a fast way for formats whose files hold the lines as they are."""

    def write_bytes(self, data: bytes) -> None:
        """Write the next bytes of the output. They begin and end anywhere; all of it ends with LF."""

    def close(self) -> None:
        """See `RecordWriter.close`."""


class OutputFormat(Protocol):
    """Makes writers. Its class is called with the job's `Config` alone."""

    name: str

    def writer(self, parts: Parts) -> RecordWriter | BytesWriter:
        """A writer for the output of one program.

        Raises
        ------
        xlearning.errors.XLearningError
            A library is missing, or a setting is wrong.
        """
