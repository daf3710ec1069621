"""The input strategy STREAM: what each worker would be fed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlearning.client.planning.inputs import Listing
from xlearning.client.planning.names import local_name
from xlearning.client.planning.request import Request
from xlearning.client.planning.resources import Shipped
from xlearning.client.problems import Problem
from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.fs import FileSystems
from xlearning.job import StreamSpec
from xlearning.units import format_bytes

_CACHE_NAME = "xlearning.inputformat.cachefile.name"
_ORDERS = {
    "CONTIGUOUS": "neighbours",
    "ROUNDROBIN": "split i to worker i mod W",
    "RANDOM": "in random order",
    "LOCAL": "neighbours until it is known where the workers are",
}


def plan(
    request: Request,
    listings: Sequence[Listing],
    shipped: Sequence[Shipped],
    workers: int,
    config: Config,
    fss: FileSystems,
    problems: list[Problem],
    notes: list[str],
    *,
    shown: bool = True,
) -> tuple[StreamSpec, ...]:
    """What each worker reads; workers without any input are a note, for the number of workers stays.

    Parameters
    ----------
    shown : bool
        See `xlearning.client.planning.plan.Setting`.
    """
    from xlearning.formats.own import is_java
    from xlearning.formats.plan import plan_streams  # not needed, and not loaded, by other strategies

    if not request.inputs:
        problems.append(
            Problem("input strategy STREAM without an input", "add --input PATH, or choose another strategy")
        )
        return ()
    _check_cache(config, problems)
    if is_java(config.get("xlearning.inputformat.class")):
        from xlearning.formats.java import classpath

        classpath.offer(item.resource.uri for item in shipped)
    try:
        feeds = plan_streams(
            {listing.spec.local: listing.files for listing in listings}, workers, config, fss, whole=shown
        )
    except UsageError as error:
        problems.append(Problem(error.message, error.hint or ""))
        return ()
    splits = sum(len(feed.splits) for feed in feeds)
    if not splits and any(listing.files for listing in listings):
        notes.append("no worker gets any input: the format makes no split of the files that there are")
    if 0 < splits < workers:
        only = "there is only 1 split" if splits == 1 else f"there are only {splits} splits"
        notes.append(
            f"{workers - splits} of {workers} workers get no input: {only} "
            "(--conf xlearning.input.split.maxsize=SIZE makes smaller ones)"
        )
    return feeds


def _check_cache(config: Config, problems: list[Problem]) -> None:
    if config.get("xlearning.stream.epoch") == 1 or not config.get("xlearning.inputformat.cache"):
        return
    try:
        local_name(config.get(_CACHE_NAME))
    except ValueError as error:
        problems.append(
            Problem(
                f"{_CACHE_NAME}={config.get(_CACHE_NAME)} cannot be used: {error}",
                "give a plain relative name: the file lies in the container's working folder",
            )
        )


def render(feeds: Sequence[StreamSpec], config: Config) -> Iterator[str]:
    """The splits of every worker, for ``--dry-run``."""
    from xlearning.formats.deal import order_of

    epochs = feeds[0].epochs
    order = _ORDERS[order_of(config)]
    yield f"Streams ({feeds[0].format}, {order}, {epochs} epoch{'s' if epochs > 1 else ''})"
    for worker, feed in enumerate(feeds):
        count = len(feed.splits)
        size = format_bytes(sum(split.length for split in feed.splits))
        yield f"  worker {worker}: {count} split{'' if count == 1 else 's'}, {size}"
        for split in feed.splits:
            yield f"    {split.uri}  {format_bytes(split.length)} from byte {split.start}"
