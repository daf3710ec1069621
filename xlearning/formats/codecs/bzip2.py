"""bzip2: streams one after the other."""

from __future__ import annotations

import bz2
from collections.abc import Iterator

from xlearning.formats.codecs.base import Compressor, Input
from xlearning.formats.codecs.streams import decode as _decode

ERRORS = (OSError, ValueError)


def decode(input_: Input) -> Iterator[bytes]:
    """See `xlearning.formats.codecs.base.Codec.decode`."""
    return _decode("bzip2", input_, bz2.BZ2Decompressor, ERRORS)


def compressor() -> Compressor:
    """See `xlearning.formats.codecs.base.Codec.compressor`."""
    return bz2.BZ2Compressor()
