"""Hadoop's SequenceFile as output: keys are NullWritable, values Text that holds a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from xlearning.config import Config
from xlearning.formats.output.base import Parts
from xlearning.formats.output.compress import codec_of
from xlearning.formats.sequence.writer import SequenceWriter

_PACKAGE = "org.apache.hadoop.io.compress."


class SequenceFileFormat:
    """See `xlearning.formats.output.base.OutputFormat`."""

    name = "sequencefile"

    def __init__(self, config: Config) -> None:
        codec = codec_of(config.get("xlearning.outputformat.codec"))
        self._codec = _PACKAGE + codec.classes[0] if codec is not None else ""
        self._blocks = config.get("xlearning.outputformat.compress.type") == "BLOCK"

    def writer(self, parts: Parts) -> SequenceFileWriter:
        return SequenceFileWriter(parts, self._codec, blocks=self._blocks)


class SequenceFileWriter:
    """See `xlearning.formats.output.base.RecordWriter`."""

    def __init__(self, parts: Parts, codec: str, *, blocks: bool) -> None:
        self._parts, self._codec, self._blocks = parts, codec, blocks
        self._open: tuple[BinaryIO, SequenceWriter] | None = None
        self._begun = False

    def write(self, records: Sequence[bytes]) -> None:
        for record in records:
            _, writer = self._open = self._open or self._begin()
            writer.write(record)
            if writer.size >= self._parts.limit:
                self._finish()

    def close(self) -> None:
        if not self._begun:
            self._open = self._begin()
        self._finish()

    def _begin(self) -> tuple[BinaryIO, SequenceWriter]:
        self._begun = True
        file = self._parts.create()
        return file, SequenceWriter(file, self._codec, blocks=self._blocks)

    def _finish(self) -> None:
        if self._open is not None:
            file, writer = self._open
            writer.flush()
            file.close()
            self._open = None
