"""Decoding of streams that follow one another in a file, as zlib, bzip2 and zstd have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from xlearning.formats.codecs.base import CHUNK, PIECE, Input, cut_off, damaged


class Stream(Protocol):
    """A decoder of one stream, as those of the standard library's `bz2`."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def needs_input(self) -> bool:
        """Whether it has nothing more to say without more bytes."""

    @property
    def unused_data(self) -> bytes:
        """What came after the end of the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """At most ``max_length`` bytes."""


class Zlib:
    """A `Stream` over a ``decompressobj`` of zlib or isal."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._left = b""
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        found: bytes = self._inner.decompress(self._left + data if self._left else data, max_length)
        self._left = self._inner.unconsumed_tail
        self.needs_input = not self._left and len(found) < max_length
        return found


def decode(
    codec: str,
    input_: Input,
    begin: Callable[[], Stream],
    errors: tuple[type[Exception], ...],
    *,
    padding: bool = False,
) -> Iterator[bytes]:
    """The content of all streams.

    Parameters
    ----------
    codec : str
        For messages.
    begin : callable
        A decoder for the next stream.
    errors : tuple
        What decoders raise for damaged bytes.
    padding : bool
        Whether zeros may follow a stream.
    """
    stream: Stream | None = None
    position = 0
    first = True
    while data := input_.read(position, PIECE):
        position += len(data)
        while data:
            if stream is None:
                if padding and not first:
                    data = data.lstrip(b"\0")
                    if not data:
                        break
                stream, first = begin(), False
            try:
                while True:
                    found = stream.decompress(data, CHUNK)
                    if found:
                        yield found
                    data = b""
                    if stream.eof or stream.needs_input:
                        break
            except errors as error:
                raise damaged(codec, input_, position - len(data), error) from error
            if stream.eof:
                data, stream = stream.unused_data, None
    if stream is not None:
        raise cut_off(codec, input_)
