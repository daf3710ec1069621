"""From listed files to what each worker reads: the one rule for the plan and for the job itself."""

from __future__ import annotations

from collections.abc import Iterable

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.registry import input_format
from xlearning.formats.splits import deal
from xlearning.fs.base import FileStatus
from xlearning.job import StreamSpec

_SHOWN = 3


def plan_streams(files: Iterable[FileStatus], workers: int, config: Config) -> tuple[StreamSpec, ...]:
    """Cut files into splits and deal them out.

    Parameters
    ----------
    files : iterable of FileStatus
        Those of all inputs, in the order in which they are read.
    workers : int
        At least 1.

    Returns
    -------
    tuple of StreamSpec
        One per worker; together they hold every split once.

    Raises
    ------
    UsageError
        The format is unknown, or cannot read some of the files; they are named together.
    """
    files = list(files)
    reader = input_format(config.get("xlearning.inputformat.class"))
    refused = [f"{file.path} ({why})" for file in files if (why := reader.refusal(file)) is not None]
    if refused:
        more = f" (and {len(refused) - _SHOWN} more)" if len(refused) > _SHOWN else ""
        raise UsageError(
            f"format {reader.name} cannot read {', '.join(refused[:_SHOWN])}{more}",
            hint="unpack the files first, or use input strategy DOWNLOAD or PLACEHOLDER",
        )
    minimum = config.get("xlearning.input.split.minsize")
    maximum = config.get("xlearning.input.split.maxsize")
    splits = [split for file in files for split in reader.splits(file, minimum=minimum, maximum=maximum)]
    epochs = config.get("xlearning.stream.epoch")
    shuffle = config.get("xlearning.input.stream.shuffle")
    return tuple(StreamSpec(reader.name, share, epochs) for share in deal(splits, workers, shuffle=shuffle))
