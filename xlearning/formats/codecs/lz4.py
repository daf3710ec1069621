"""lz4 in Hadoop's blocks."""

from __future__ import annotations

from collections.abc import Iterator

from xlearning.formats import libraries
from xlearning.formats.codecs import blocks
from xlearning.formats.codecs.base import Compressor, Input

_SIZE = 261100  # what is certain to fit, compressed, into the 256 KiB that Hadoop reserves
_MOST = 255  # bytes that one byte can decode to
_LEAST = 64  # bytes, for chunks of few bytes


def decode(input_: Input) -> Iterator[bytes]:
    """See `xlearning.formats.codecs.base.Codec.decode`."""
    library = libraries.load("cramjam")

    def unpack(chunk: bytes, limit: int) -> bytes:
        room = bytearray(min(limit, len(chunk) * _MOST + _LEAST))
        try:
            length = library.lz4.decompress_block_into(chunk, room)
        except library.DecompressionError as error:
            raise ValueError(str(error)) from error
        return bytes(room[:length])

    return blocks.decode("lz4", input_, unpack)


def compressor() -> Compressor:
    """See `xlearning.formats.codecs.base.Codec.compressor`."""
    library = libraries.load("cramjam")
    return blocks.Blocks(_SIZE, lambda data: bytes(library.lz4.compress_block(data, store_size=False)))
