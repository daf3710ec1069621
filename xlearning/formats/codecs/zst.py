"""Zstandard: frames one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from xlearning.formats import libraries
from xlearning.formats.codecs.base import Compressor, Input
from xlearning.formats.codecs.streams import decode as _decode


def decode(input_: Input) -> Iterator[bytes]:
    """See `xlearning.formats.codecs.base.Codec.decode`."""
    zstd = libraries.load("backports.zstd")
    return _decode("zstd", input_, zstd.ZstdDecompressor, (zstd.ZstdError,))


def compressor() -> Compressor:
    """See `xlearning.formats.codecs.base.Codec.compressor`. Frames have checksums."""
    zstd = libraries.load("backports.zstd")
    made: Compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: 1})
    return made
