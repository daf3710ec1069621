"""Writes SequenceFiles whose keys are NullWritable and whose values are Text."""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

from xlearning.formats.sequence.codecs import packing
from xlearning.formats.sequence.layout import ESCAPE, SYNC, Header, write_header
from xlearning.formats.sequence.numbers import write_vlong

_LENGTHS = struct.Struct(">ii")
_APART = 102_400  # bytes between marks
_BLOCK = 1_000_000  # bytes of a block before it is compressed
_NULL, _TEXT = "org.apache.hadoop.io.NullWritable", "org.apache.hadoop.io.Text"


class SequenceWriter:
    """Writes to ``file``, which it does not close.

    Parameters
    ----------
    codec : str
        Java class; empty: nothing is compressed.
    blocks : bool
        Compress many records together, not each on its own.
    """

    def __init__(self, file: BinaryIO, codec: str = "", *, blocks: bool = False) -> None:
        self._file = file
        self._pack = packing(codec).pack if codec else None
        self._blocks = blocks and bool(codec)
        self._sync = os.urandom(SYNC)
        self._lengths: list[bytes] = []
        self._values: list[bytes] = []
        self._held = 0
        self.size = self._since = 0
        self._put(write_header(Header(_NULL, _TEXT, codec, self._blocks, self._sync)))

    def write(self, value: bytes) -> None:
        """Write one record."""
        data = write_vlong(len(value)) + value
        if self._blocks:
            self._lengths.append(write_vlong(len(data)))
            self._values.append(data)
            self._held += len(data)
            if self._held >= _BLOCK:
                self.flush()
            return
        if self._pack is not None:
            data = self._pack(data)
        if self._since >= _APART:
            self._mark()
        self._put(_LENGTHS.pack(len(data), 0) + data)

    def flush(self) -> None:
        """Write the records of a block that is not full."""
        if not self._lengths or self._pack is None:
            return
        self._mark()
        count = len(self._lengths)
        parts = (b"\0" * count, b"", b"".join(self._lengths), b"".join(self._values))
        packed = [self._pack(part) for part in parts]
        self._put(write_vlong(count) + b"".join(write_vlong(len(part)) + part for part in packed))
        self._lengths, self._values, self._held = [], [], 0

    def _mark(self) -> None:
        self._put(ESCAPE + self._sync)
        self._since = 0

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)
        self._since += len(data)
