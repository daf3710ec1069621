"""deflate in Hadoop's sense, which is zlib's format; by isal where it is installed, which is much faster."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from xlearning.formats import libraries
from xlearning.formats.codecs.base import Compressor, Input
from xlearning.formats.codecs.streams import Zlib
from xlearning.formats.codecs.streams import decode as _decode

_FAST_LEVEL = 2  # of isal's 0..3: about the size of zlib's level 5
_LEVEL = 6  # of zlib; that of gzip and of Hadoop


def decode(input_: Input) -> Iterator[bytes]:
    """See `xlearning.formats.codecs.base.Codec.decode`."""
    module, errors = fast()
    return _decode("deflate", input_, lambda: Zlib(module.decompressobj(wbits=zlib.MAX_WBITS)), errors)


def compressor() -> Compressor:
    """See `xlearning.formats.codecs.base.Codec.compressor`."""
    return compressor_of(zlib.MAX_WBITS)


def fast() -> tuple[Any, tuple[type[Exception], ...]]:
    """isal's zlib, or else the standard library's, and the errors for damaged data."""
    if not libraries.available("isal"):
        return zlib, (zlib.error,)
    module = libraries.load("isal")
    return module, (zlib.error, module.error)


def compressor_of(wbits: int) -> Compressor:
    """A compressor with this wrapper around its data."""
    if not libraries.available("isal"):
        return zlib.compressobj(_LEVEL, wbits=wbits)
    made: Compressor = libraries.load("isal").compressobj(_FAST_LEVEL, wbits=wbits)
    return made
