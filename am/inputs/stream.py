"""Input strategy STREAM: the agent feeds the records of a worker's splits to the program."""

from __future__ import annotations

import itertools

from xlearning.am.inputs.assign import Listing
from xlearning.am.inputs.near import located
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.job import JobSpec, StreamSpec


def streams(
    job: JobSpec, listing: Listing, workers: int, config: Config, fss: FileSystems
) -> tuple[StreamSpec, ...]:
    """What each worker is fed: all inputs one after the other, as on the command line, cut and dealt out.

    Raises
    ------
    UsageError, OSError
        See `xlearning.formats.plan.plan_streams`.
    """
    from xlearning.formats.deal import Order, order_of
    from xlearning.formats.own import is_java
    from xlearning.formats.plan import plan_streams  # not needed, and not loaded, by other strategies

    if is_java(config.get("xlearning.inputformat.class")):
        from xlearning.formats.java import classpath

        classpath.offer(resource.uri for resource in job.resources)
    if job.modules:
        from xlearning.formats import own

        own.offer(job.modules)
    inputs = {spec.local: listing.get(spec.local, ()) for spec in job.inputs}
    dealt = plan_streams(inputs, workers, config, fss)
    if order_of(config) is not Order.LOCAL:
        return dealt
    return located(dealt, itertools.chain.from_iterable(inputs.values()), job.user)
