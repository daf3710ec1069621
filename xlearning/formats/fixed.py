"""Records of a fixed number of bytes, as in Hadoop's FixedLengthInputFormat; keys are their offsets.

A record belongs to the split with its first byte. Compressed files are not cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats import unpacked
from xlearning.formats.base import Cutting, Record
from xlearning.formats.codecs.registry import of_name
from xlearning.formats.cursor import damaged
from xlearning.formats.source import Files
from xlearning.formats.text import blocks
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

LENGTH = "xlearning.inputformat.fixed.length"
_SHOWN = 3


class FixedFormat:
    """See `xlearning.formats.base.InputFormat`."""

    name = "fixed"

    def __init__(self, config: Config) -> None:
        length: int | None = config.get(LENGTH)
        if length is None:
            raise UsageError(
                f"format {self.name} needs the length of a record", hint=f"--conf {LENGTH}=BYTES"
            )
        self._length = length

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        torn = [f for f in files if of_name(f.path) is None and f.size % self._length]
        if torn:
            shown = ", ".join(f"{file.path} ({file.size} bytes)" for file in torn[:_SHOWN])
            more = f" (and {len(torn) - _SHOWN} more)" if len(torn) > _SHOWN else ""
            raise UsageError(
                f"not a whole number of records of {self._length} bytes: {shown}{more}",
                hint=f"correct {LENGTH}, or leave these files out",
            )
        return unpacked.splits(files, cutting, whole=True)

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        codec = of_name(split.uri)
        with reading.open(split.uri, split.size) as source:
            if codec is not None:
                begin, chunks = 0, codec.decode(source)
            else:
                begin = self._next(split.start)
                end = min(source.size, self._next(split.start + split.length))
                chunks = blocks(source, begin, end)
            left = b""
            for at, record in self._cut(chunks, begin):
                left = record
                if len(record) == self._length:
                    yield b"%d" % at, record
            if len(left) % self._length:
                words = f"the last record has {len(left)} bytes of {self._length}"
                raise damaged(source, at, words)

    def _next(self, position: int) -> int:
        """Where the first record begins that begins at ``position`` or later."""
        return -(-position // self._length) * self._length

    def _cut(self, chunks: Iterable[bytes], at: int) -> Iterator[tuple[int, bytes]]:
        """Offset and bytes of every record; the last one may be short."""
        parts: list[bytes] = []
        held = 0
        for chunk in chunks:
            parts.append(chunk)
            held += len(chunk)
            if held < self._length:
                continue
            data = b"".join(parts)
            whole = held - held % self._length
            for start in range(0, whole, self._length):
                yield at + start, data[start : start + self._length]
            at += whole
            parts, held = [data[whole:]], held - whole
        if held:
            yield at, b"".join(parts)
