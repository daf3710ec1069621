"""From listed files to what each worker reads: the one rule for the plan and for the job itself."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.config import Config
from xlearning.formats.base import Cutting
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.formats.splits import deal
from xlearning.fs.base import FileStatus
from xlearning.fs.registry import FileSystems
from xlearning.job import StreamSpec


def plan_streams(
    inputs: Sequence[Sequence[FileStatus]], workers: int, config: Config, fss: FileSystems
) -> tuple[StreamSpec, ...]:
    """Cut files into splits and deal them out.

    Parameters
    ----------
    inputs : sequence of sequence of FileStatus
        The files of each input, in the order in which they are read.
    workers : int
        At least 1.
    fss : FileSystems
        For formats that must look into a file to cut it.

    Returns
    -------
    tuple of StreamSpec
        One per worker; together they hold every split once.

    Raises
    ------
    UsageError
        The format is unknown, or cannot read some of the files; they are named together.
    OSError
        A file that must be looked into cannot be read.
    """
    format_ = input_format(config.get("xlearning.inputformat.class"), config)
    cutting = Cutting(
        config.get("xlearning.input.split.minsize"), config.get("xlearning.input.split.maxsize")
    )
    reading = Files(fss, retry_time=config.get("xlearning.fs.retry.time"))
    splits = [split for files in inputs for split in format_.splits(files, cutting, reading)]
    epochs = config.get("xlearning.stream.epoch")
    shuffle = config.get("xlearning.input.stream.shuffle")
    return tuple(StreamSpec(format_.name, share, epochs) for share in deal(splits, workers, shuffle=shuffle))
