"""Codecs inside a SequenceFile, by the Java class that its head names."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Callable
from typing import NamedTuple

from xlearning.errors import StorageError

_PACKAGE = "org.apache.hadoop.io.compress."


class Packing(NamedTuple):
    """Both ways of a codec, for a whole piece of bytes.

    ``unpack`` raises `ValueError`, `OSError`, `EOFError` or `zlib.error` where the bytes are damaged.
    """

    pack: Callable[[bytes], bytes]
    unpack: Callable[[bytes], bytes]


def _unzip(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    whole = unpacker.decompress(data)
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("a compressed piece does not end where it should")
    return whole


_DEFLATE = Packing(zlib.compress, _unzip)
_PACKINGS = {
    "DefaultCodec": _DEFLATE,
    "DeflateCodec": _DEFLATE,
    "GzipCodec": Packing(gzip.compress, gzip.decompress),
    "BZip2Codec": Packing(bz2.compress, bz2.decompress),
}


def packing(class_: str) -> Packing:
    """The codec of the Java class ``class_``.

    Raises
    ------
    StorageError
        It is not one that can be read here.
    """
    found = _PACKINGS.get(class_.removeprefix(_PACKAGE)) if class_.startswith(_PACKAGE) else None
    if found is None:
        raise StorageError(
            f"is compressed with the Java class {class_}, which cannot be read without Java",
            hint="name a Java class that reads it with --inputformat, and its jar with --jars; "
            f"without Java there is: {', '.join(_PACKINGS)}",
        )
    return found
