"""gzip: members one after the other, and zeros after them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from xlearning.formats.codecs.base import Compressor, Input
from xlearning.formats.codecs.deflate import compressor_of, fast
from xlearning.formats.codecs.streams import Zlib
from xlearning.formats.codecs.streams import decode as _decode

_WRAPPER = 16 + zlib.MAX_WBITS


def decode(input_: Input) -> Iterator[bytes]:
    """See `xlearning.formats.codecs.base.Codec.decode`."""
    module, errors = fast()
    return _decode("gzip", input_, lambda: Zlib(module.decompressobj(wbits=_WRAPPER)), errors, padding=True)


def compressor() -> Compressor:
    """See `xlearning.formats.codecs.base.Codec.compressor`."""
    return compressor_of(_WRAPPER)
