"""From listed files to what each worker reads: the one rule for the plan and for the job itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.base import Cutting, InputFormat
from xlearning.formats.deal import Order, deal, order_of
from xlearning.formats.framing import Framing
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.fs.base import FileStatus
from xlearning.fs.registry import FileSystems
from xlearning.job import InputSplit, StreamSpec


def plan_streams(
    inputs: Mapping[str, Sequence[FileStatus]],
    workers: int,
    config: Config,
    fss: FileSystems,
    *,
    whole: bool = True,
) -> tuple[StreamSpec, ...]:
    """Cut files into splits and deal them out.

    Parameters
    ----------
    inputs : mapping
        Local name of each input -> its files, in the order in which they are read.
    workers : int
        At least 1.
    fss : FileSystems
        For formats that must look into a file to cut it.
    whole : bool
        False if it is enough to know whether every worker gets something: large files are then not read
        to their ends.

    Returns
    -------
    tuple of StreamSpec
        One per worker; together they hold every split once, those that were found at least.

    Raises
    ------
    UsageError
        The format is unknown, or cannot read some of the files; those of all inputs are named together.
        A separator of keys means nothing.
    OSError
        A file that must be looked into cannot be read.
    """
    format_ = input_format(config.get("xlearning.inputformat.class"), config)
    Framing.of(config)  # what is wrong with it is told before anything starts
    total = sum(file.size for files in inputs.values() for file in files)
    reading = Files(fss, retry_time=config.get("xlearning.fs.retry.time"))
    how = dataclasses.replace(cutting(config, total), enough=0 if whole else workers)
    splits, origins = _cut(format_, inputs, how, reading)
    order, seed = order_of(config), config.get("xlearning.input.stream.seed")
    epochs, names = config.get("xlearning.stream.epoch"), tuple(inputs)
    return tuple(
        StreamSpec(
            format_.name,
            tuple([splits[number] for number in share]),
            epochs,
            names,
            tuple([origins[number] for number in share]),
            seed if order is Order.RANDOM else None,
        )
        for share in deal(len(splits), workers, order, seed)
    )


def cutting(config: Config, total: int) -> Cutting:
    """How files of ``total`` bytes are cut: as Hadoop's newer API does, with the older one's goal."""
    maximum = config.get("xlearning.input.split.maxsize")
    number = config.get("xlearning.input.split.number")
    if number:
        goal = max(1, total // number)
        maximum = min(maximum, goal) if maximum else goal
    return Cutting(config.get("xlearning.input.split.minsize"), maximum)


def _cut(
    format_: InputFormat, inputs: Mapping[str, Sequence[FileStatus]], how: Cutting, reading: Files
) -> tuple[list[InputSplit], list[int]]:
    """The splits of all inputs, and for each of them the number of its input."""
    splits: list[InputSplit] = []
    origins: list[int] = []
    problems: list[UsageError] = []
    for number, files in enumerate(inputs.values()):
        try:
            found = format_.splits(files, how, reading)
        except UsageError as error:
            problems.append(error)
            continue
        splits += found
        origins += [number] * len(found)
    if problems:
        hints = dict.fromkeys(error.hint for error in problems if error.hint)
        raise UsageError("\n".join(error.message for error in problems), hint="; ".join(hints) or None)
    return splits, origins
