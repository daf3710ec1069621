"""Lines with a key and a value, as in Hadoop's KeyValueTextInputFormat."""

from __future__ import annotations

from collections.abc import Iterator

from xlearning.config import Config
from xlearning.formats.base import Record
from xlearning.formats.escapes import unescaped
from xlearning.formats.framing import joined
from xlearning.formats.source import Files
from xlearning.formats.text import TextFormat
from xlearning.job import InputSplit

SEPARATOR = "xlearning.inputformat.keyvalue.separator"


class KeyValueFormat(TextFormat):
    """Text whose lines are cut at the first separator; one without it is a key with an empty value."""

    name = "keyvalue"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._separator = unescaped(SEPARATOR, config) or b"\t"

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        for _, line in super().records(split, reading):
            key, _, value = line.partition(self._separator)
            yield key, value

    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        return joined(self.records(split, reading))
