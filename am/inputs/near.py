"""Streams dealt to the workers whose hosts hold them. `dealt_near` is pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit, StreamSpec


def located(streams: Sequence[StreamSpec], files: Iterable[FileStatus], user: str) -> tuple[StreamSpec, ...]:
    """The streams with the hosts of each split, where the file system tells them."""
    from xlearning.fs.locations import best_hosts, hosts_of  # not loaded by other orders

    blocks = hosts_of(files, user=user)

    def told(split: InputSplit) -> InputSplit:
        if split.hosts or split.uri not in blocks:
            return split
        return dataclasses.replace(split, hosts=best_hosts(blocks[split.uri], split.start, split.length))

    return tuple(dataclasses.replace(spec, splits=tuple(map(told, spec.splits))) for spec in streams)


def dealt_near(streams: Sequence[StreamSpec], workers: Sequence[str]) -> tuple[StreamSpec, ...]:
    """The same splits, dealt by `xlearning.formats.deal.deal_near`; as they are if no host is known.

    Parameters
    ----------
    workers : sequence of str
        The host of each worker, by index.
    """
    from xlearning.formats.deal import deal_near  # not loaded by other strategies

    splits = [split for spec in streams for split in spec.splits]
    origins = [origin for spec in streams for origin in spec.origins]
    if not any(split.hosts for split in splits):
        return tuple(streams)
    dealt = deal_near([split.length for split in splits], [split.hosts for split in splits], workers)
    return tuple(
        dataclasses.replace(
            spec,
            splits=tuple(dataclasses.replace(splits[number], hosts=()) for number in numbers),
            origins=tuple(origins[number] for number in numbers),
        )
        for spec, numbers in zip(streams, dealt, strict=True)
    )
