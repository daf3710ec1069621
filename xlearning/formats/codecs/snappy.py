"""snappy in Hadoop's blocks."""

from __future__ import annotations

from collections.abc import Iterator

from xlearning.formats import libraries
from xlearning.formats.codecs import blocks
from xlearning.formats.codecs.base import Compressor, Input

_SIZE = 218422  # what is certain to fit, compressed, into the 256 KiB that Hadoop reserves


def decode(input_: Input) -> Iterator[bytes]:
    """See `xlearning.formats.codecs.base.Codec.decode`."""
    library = libraries.load("cramjam")

    def unpack(chunk: bytes, limit: int) -> bytes:
        try:
            length = library.snappy.decompress_raw_len(chunk)
            if length > limit:
                raise ValueError(f"a chunk decodes to {length} bytes, and at most {limit} may follow")
            return bytes(library.snappy.decompress_raw(chunk))
        except library.DecompressionError as error:
            raise ValueError(str(error)) from error

    return blocks.decode("snappy", input_, unpack)


def compressor() -> Compressor:
    """See `xlearning.formats.codecs.base.Codec.compressor`."""
    library = libraries.load("cramjam")
    return blocks.Blocks(_SIZE, lambda data: bytes(library.snappy.compress_raw(data)))
