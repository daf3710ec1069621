"""Compressors for output that is text, by the names that people give them."""

from __future__ import annotations

from typing import BinaryIO

from xlearning.errors import UsageError
from xlearning.formats import libraries
from xlearning.formats.codecs.base import Compressor
from xlearning.formats.codecs.registry import CODECS, named

_NONE = ("", "none")


class Packing:
    """How the files of an output are compressed.

    Parameters
    ----------
    name : str
        ``none``, a codec of `xlearning.formats.codecs.registry`, or Hadoop's class for it.

    Attributes
    ----------
    ending : str
        Of the names of files; empty without compression.

    Raises
    ------
    UsageError
        There is no such codec, or it needs a package that is not installed.
    """

    def __init__(self, name: str) -> None:
        self._codec = None if name.strip().lower() in _NONE else named(name)
        if self._codec is None and name.strip().lower() not in _NONE:
            raise UsageError(
                f"output cannot be compressed with {name}",
                hint=f"there is: none, {', '.join(codec.name for codec in CODECS)}",
            )
        if self._codec is not None:
            libraries.check({package: [f"output as {self._codec.name}"] for package in self._codec.requires})
        self.ending = self._codec.ending if self._codec is not None else ""

    def over(self, file: BinaryIO) -> Packed:
        """Something that writes to ``file``."""
        return Packed(file, self._codec.compressor() if self._codec is not None else None)


class Packed:
    """A file that is compressed while it is written."""

    def __init__(self, file: BinaryIO, compressor: Compressor | None) -> None:
        self._file, self._compressor = file, compressor

    def write(self, data: bytes | memoryview) -> None:
        """Write ``data``."""
        self._file.write(data if self._compressor is None else self._compressor.compress(data))  # type: ignore[arg-type]

    def tell(self) -> int:
        """Bytes in the file so far; what the compressor still holds does not count."""
        return self._file.tell()

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._compressor is not None:
            self._file.write(self._compressor.flush())
        self._file.close()
