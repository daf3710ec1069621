"""Text: the lines of the output as they are, in parts that never cut a line."""

from __future__ import annotations

from xlearning.config import Config
from xlearning.formats.output.base import Parts
from xlearning.formats.output.compress import Packed, Packing

_LF = b"\n"


class TextFormat:
    """See `xlearning.formats.output.base.OutputFormat`. Every byte stays, a CR too."""

    name = "text"

    def __init__(self, config: Config) -> None:
        self._packing = Packing(config.get("xlearning.outputformat.codec"))

    def writer(self, parts: Parts) -> TextWriter:
        return TextWriter(parts, self._packing)


class TextWriter:
    """Writes text; see `xlearning.formats.output.base.BytesWriter`."""

    def __init__(self, parts: Parts, packing: Packing) -> None:
        self._parts, self._packing = parts, packing
        self._part: Packed | None = None
        self._begun = False

    def write_bytes(self, data: bytes) -> None:
        view = memoryview(data)
        at = 0
        while at < len(view):
            part = self._open()
            # What a compressor holds back has no size yet: its parts end where a piece has its last line.
            border = data.rfind(_LF) if self._packing.ending else data.find(_LF, at + self._room(part))
            end = border + 1 if border >= at else len(view)
            part.write(view[at:end])
            if border >= at and part.tell() >= self._parts.limit:
                self._finish()
            at = end

    def _room(self, part: Packed) -> int:
        return max(0, self._parts.limit - part.tell() - 1)

    def close(self) -> None:
        if not self._begun:
            self._open()
        self._finish()

    def _open(self) -> Packed:
        if self._part is None:
            self._begun = True
            self._part = self._packing.over(self._parts.create(self._packing.ending))
        return self._part

    def _finish(self) -> None:
        part, self._part = self._part, None
        if part is not None:
            part.close()
