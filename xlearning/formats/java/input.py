"""Java classes as input formats: splits and readers are made by Hadoop's own code."""

from __future__ import annotations

import contextlib
import json
import struct
import threading
from collections.abc import Iterator, Sequence

from xlearning.config import Config
from xlearning.formats.base import Cutting, Record
from xlearning.formats.java import classpath
from xlearning.formats.java.process import Helper
from xlearning.formats.java.starting import start
from xlearning.formats.source import Files
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

_LOCK = threading.Lock()
_Use = tuple[object, ...]  # what helpers must have in common to stand in for each other
_idle: dict[_Use, list[Helper]] = {}  # waits for the next split; a JVM starts slower than many are read


def release() -> None:
    """End the processes that wait for another split."""
    with _LOCK:
        waiting = [helper for helpers in _idle.values() for helper in helpers]
        _idle.clear()
    for helper in waiting:
        helper.close()


class JavaInput:
    """See `xlearning.formats.base.InputFormat`.

    Planning has a process of its own. Readers use theirs for one split after the other; see `release`.
    """

    def __init__(self, name: str, config: Config) -> None:
        self.name = name
        self._config = config

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        sizes = {file.path: file.size for file in files}
        number = max(1, self._config.get("xlearning.input.split.number"))
        properties = {"mapreduce.input.fileinputformat.split.minsize": str(cutting.minimum)}
        if cutting.maximum:
            properties["mapreduce.input.fileinputformat.split.maxsize"] = str(cutting.maximum)
        with contextlib.closing(self._start(reading, properties)) as helper:
            found = helper.ask(do="splits", files=list(sizes), number=number)
        return [
            InputSplit(
                split["uri"],
                split["start"],
                split["length"],
                sizes.get(split["uri"], split["start"] + split["length"]),
                hosts=tuple(split["hosts"]),
                data=json.dumps([split["class"], split["data"]]),
            )
            for split in found
        ]

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        class_, data = json.loads(split.data)
        use = (self.name, classpath.offered(), *self._config.explicit().items())
        with _LOCK:
            waiting = _idle.setdefault(use, [])
            helper = waiting.pop() if waiting else None
        helper = helper or self._start(reading, {})
        whole = False
        try:
            for batch in helper.batches(class_, data):
                yield from _records(batch)
            whole = True
        finally:
            if whole:
                with _LOCK:
                    _idle.setdefault(use, []).append(helper)
            else:
                helper.close()

    def _start(self, reading: Files, properties: dict[str, str]) -> Helper:
        order = {"do": "input", "class": self.name, "properties": properties}
        return start(f"input format {self.name}", self._config, order, fetch=reading.whole)


def _records(batch: bytes) -> Iterator[Record]:
    (count,) = struct.unpack_from("<I", batch)
    lengths = struct.unpack_from(f"<{2 * count}I", batch, 4)
    at = 4 + 8 * count
    for first, second in zip(lengths[::2], lengths[1::2], strict=True):
        middle, end = at + first, at + first + second
        yield batch[at:middle], batch[middle:end]
        at = end
