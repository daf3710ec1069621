"""Text in splits of so many lines each, as in Hadoop's NLineInputFormat. Files are read to be cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.base import Cutting
from xlearning.formats.source import Files
from xlearning.formats.text import TextFormat, refuse_compressed
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

LINES = "xlearning.inputformat.nline.lines"
_MOST = 1_000_000  # splits of one input


class NLineFormat(TextFormat):
    """Text in exact splits; sizes of blocks and bounds of splits do not count."""

    name = "nline"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._count: int = config.get(LINES)

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        refuse_compressed(self.name, files)
        found = list(itertools.islice(self._all(files, reading), cutting.enough or _MOST + 1))
        if len(found) > _MOST:
            raise UsageError(
                f"{LINES}={self._count} makes more than {_MOST:,} splits", hint=f"set {LINES} to more lines"
            )
        return found

    def _all(self, files: Sequence[FileStatus], reading: Files) -> Iterator[InputSplit]:
        for file in files:
            starts = itertools.islice(self.starts(file, reading), 0, None, self._count)
            if next(starts, None) is None:
                continue
            begin = 0  # records that are too long may stand before the first one
            for end in itertools.chain(starts, (file.size,)):
                yield InputSplit(file.path, begin, end - begin, file.size, exact=True)
                begin = end
