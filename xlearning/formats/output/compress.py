"""Compressors for output that is text, by the names that people give them."""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable
from typing import BinaryIO, NamedTuple, Protocol

from xlearning.errors import UsageError

_GZIP_WRAPPER = 16 + zlib.MAX_WBITS
_LEVEL = 6  # of zlib; that of gzip and of Hadoop


class Compressor(Protocol):
    """What the standard library's compressors have in common."""

    def compress(self, data: bytes) -> bytes:
        """What is ready after ``data``."""

    def flush(self) -> bytes:
        """What is left."""


class _Entry(NamedTuple):
    ending: str
    make: Callable[[], Compressor]
    classes: tuple[str, ...]


_CODECS = {
    "gzip": _Entry(".gz", lambda: zlib.compressobj(_LEVEL, wbits=_GZIP_WRAPPER), ("GzipCodec",)),
    "bzip2": _Entry(".bz2", bz2.BZ2Compressor, ("BZip2Codec",)),
    "deflate": _Entry(".deflate", lambda: zlib.compressobj(_LEVEL), ("DefaultCodec", "DeflateCodec")),
}
_OTHER_NAMES = {"gz": "gzip", "bz2": "bzip2", "zlib": "deflate"}
_PACKAGE = "org.apache.hadoop.io.compress."
_NONE = ("", "none")
_NAMES = {
    spelling.lower(): name
    for name, entry in _CODECS.items()
    for spelling in (name, *(f"{package}{class_}" for class_ in entry.classes for package in ("", _PACKAGE)))
} | _OTHER_NAMES


class Packing:
    """How the files of an output are compressed.

    Parameters
    ----------
    name : str
        ``none``, ``gzip``, ``bzip2``, ``deflate``, or Hadoop's class for one of them.

    Attributes
    ----------
    ending : str
        Of the names of files; empty without compression.

    Raises
    ------
    UsageError
        There is no such codec.
    """

    def __init__(self, name: str) -> None:
        wanted = name.strip().lower()
        self.ending = ""
        self._make: Callable[[], Compressor] | None = None
        if wanted in _NONE:
            return
        found = _NAMES.get(wanted)
        if found is None:
            raise UsageError(
                f"output cannot be compressed with {name}", hint=f"there is: none, {', '.join(_CODECS)}"
            )
        self.ending, self._make = _CODECS[found].ending, _CODECS[found].make

    def over(self, file: BinaryIO) -> Packed:
        """Something that writes to ``file``."""
        return Packed(file, self._make() if self._make is not None else None)


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
