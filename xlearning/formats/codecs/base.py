"""What a codec is."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from xlearning.errors import StorageError

PIECE = 1 << 18  # compressed bytes that are read at a time
CHUNK = 1 << 20  # decoded bytes that are held at a time, whatever a file says


class Input(Protocol):
    """Compressed bytes; `xlearning.formats.source.Source` is one.

    Attributes
    ----------
    size : int
        Bytes.
    position : int
        Offset of the last read; after an error that of the damage.
    """

    size: int
    position: int

    def read(self, position: int, length: int) -> bytes:
        """``length`` bytes from ``position`` on; fewer only at the end."""


class Memory:
    """An `Input` over bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)
        self.position = 0

    def read(self, position: int, length: int) -> bytes:
        """See `Input.read`."""
        self.position = position
        return self._data[position : position + length]


class Compressor(Protocol):
    """What the standard library's compressors have in common."""

    def compress(self, data: bytes) -> bytes:
        """What is ready after ``data``."""

    def flush(self) -> bytes:
        """What is left. Nothing more is called then."""


@dataclass(frozen=True)
class Codec:
    """A codec of Hadoop's. Its module is loaded when it is used.

    Attributes
    ----------
    name : str
        Such as ``gzip``.
    ending : str
        Of the names of files; lower case, with its dot.
    classes : tuple of str
        Hadoop's classes without their package.
    module : str
        Has ``decode(input)`` and ``compressor()``.
    magics : tuple of bytes
        How its files begin, where that cannot be the beginning of anything else.
    requires : tuple of str
        Packages without which it does not work; see `xlearning.formats.libraries`.
    prefers : tuple of str
        Packages that make it faster.
    splittable : bool
        Whether a file can be read from within.
    """

    name: str
    ending: str
    classes: tuple[str, ...]
    module: str
    magics: tuple[bytes, ...] = ()
    requires: tuple[str, ...] = ()
    prefers: tuple[str, ...] = ()
    splittable: bool = False

    def decode(self, input_: Input) -> Iterator[bytes]:
        """The content, in pieces of bounded size, none of them empty.

        Raises
        ------
        UsageError
            A package is missing.
        OSError, StorageError
            It cannot be read, is damaged or ends too early; ``input_.position`` tells where.
        """
        decoded: Iterator[bytes] = self._load().decode(input_)
        return decoded

    def compressor(self) -> Compressor:
        """A new compressor, for one file.

        Raises
        ------
        UsageError
            A package is missing.
        """
        made: Compressor = self._load().compressor()
        return made

    def unpack(self, data: bytes) -> bytes:
        """The content of a small piece of compressed bytes; see `decode`."""
        return b"".join(self.decode(Memory(data)))

    def pack(self, data: bytes) -> bytes:
        """``data`` compressed, as a whole."""
        compressor = self.compressor()
        return compressor.compress(data) + compressor.flush()

    def _load(self) -> Any:
        return importlib.import_module(self.module)


def damaged(codec: str, input_: Input, position: int, why: object) -> StorageError:
    """The error to raise for compressed bytes that are wrong near ``position``."""
    input_.position = position
    return StorageError(f"the {codec} data is damaged: {why}")


def cut_off(codec: str, input_: Input) -> StorageError:
    """The error to raise for compressed bytes that end too early."""
    input_.position = input_.size
    return StorageError(f"the {codec} data ends too early: the file is not complete")
