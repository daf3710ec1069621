"""A file is one record; its key is its URI. Compressed files stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.base import Cutting, Record
from xlearning.formats.framing import IO, Framing, Io
from xlearning.formats.source import Files
from xlearning.formats.splits import whole
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

_MOST = (1 << 31) - 1  # bytes; binary forms have no room for more
_SHOWN = 3


class WholeFileFormat:
    """See `xlearning.formats.base.InputFormat`. A record is held in memory."""

    name = "wholefile"

    def __init__(self, config: Config) -> None:
        if Framing.of(config).io is Io.TEXT:
            raise UsageError(
                f"format {self.name} cannot be fed as text: nothing would tell where a file ends",
                hint=f"--conf {IO}=RAWBYTES or TYPEDBYTES",
            )

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        large = [file.path for file in files if file.size > _MOST]
        if large:
            more = f" (and {len(large) - _SHOWN} more)" if len(large) > _SHOWN else ""
            raise UsageError(
                f"too large to be one record: {', '.join(large[:_SHOWN])}{more}",
                hint="let the program read these files itself: input strategy DOWNLOAD or PLACEHOLDER",
            )
        return whole(files)

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        with reading.open(split.uri, split.size) as source:
            yield split.uri.encode("utf-8", "surrogateescape"), source.read(0, split.size)
