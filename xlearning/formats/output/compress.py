"""Compressors for output that is text, by the names that people give them."""

from __future__ import annotations

from typing import BinaryIO

from xlearning.errors import UsageError
from xlearning.formats import libraries
from xlearning.formats.codecs.base import Codec, Compressor
from xlearning.formats.codecs.registry import CODECS, named

_NONE = ("", "none")


def codec_of(name: str) -> Codec | None:
    """The codec that output is asked to be compressed with; None: it is not compressed.

    Parameters
    ----------
    name : str
        ``none``, a codec of `xlearning.formats.codecs.registry`, or Hadoop's class for it.

    Raises
    ------
    UsageError
        There is no such codec, or it needs a package that is not installed.
    """
    if name.strip().lower() in _NONE:
        return None
    codec = named(name)
    if codec is None:
        raise UsageError(
            f"output cannot be compressed with {name}",
            hint=f"there is: none, {', '.join(codec.name for codec in CODECS)}",
        )
    libraries.check({package: [f"output as {codec.name}"] for package in codec.requires})
    return codec


class Packing:
    """How the files of an output are compressed; ``name`` as for `codec_of`, which raises.

    Attributes
    ----------
    ending : str
        Of the names of files; empty without compression.
    """

    def __init__(self, name: str) -> None:
        self._codec = codec_of(name)
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
