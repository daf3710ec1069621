"""Which worker reads which split, and in which order. Pure; splits are known by their numbers."""

from __future__ import annotations

import enum
import itertools
import random
from collections.abc import Sequence

from xlearning.config import Config


class Order(str, enum.Enum):
    """How splits are dealt to the workers.

    CONTIGUOUS gives neighbours, n div W of them and the first n mod W workers one more; ROUNDROBIN gives
    split i to worker i mod W; RANDOM deals like CONTIGUOUS after a shuffle.
    """

    CONTIGUOUS = "CONTIGUOUS"
    ROUNDROBIN = "ROUNDROBIN"
    RANDOM = "RANDOM"


def order_of(config: Config) -> Order:
    """The order that the properties ask for; the original knows the first two by its own property."""
    named = config.get("xlearning.input.stream.order")
    if named:
        return Order(named)
    return Order.ROUNDROBIN if config.get("xlearning.input.stream.shuffle") else Order.CONTIGUOUS


def deal(count: int, workers: int, order: Order, seed: int = 0) -> list[Sequence[int]]:
    """The numbers of the splits of each worker; together they hold 0 to ``count - 1`` once.

    Parameters
    ----------
    seed : int
        Of RANDOM; the same seed deals the same way.
    """
    numbers: Sequence[int] = range(count)
    if order is Order.ROUNDROBIN:
        return [numbers[worker::workers] for worker in range(workers)]
    if order is Order.RANDOM:
        numbers = _shuffled(count, f"deal {seed}")
    share, more = divmod(count, workers)
    bounds = [worker * share + min(worker, more) for worker in range(workers + 1)]
    return [numbers[first:last] for first, last in itertools.pairwise(bounds)]


def epoch_order(count: int, seed: int | None, epoch: int) -> Sequence[int]:
    """The order in which a worker reads its ``count`` splits in epoch 0, 1, ...: by seed, or as they are."""
    return range(count) if seed is None else _shuffled(count, f"epoch {epoch} {seed}")


def _shuffled(count: int, seed: str) -> list[int]:
    numbers = list(range(count))
    random.Random(seed).shuffle(numbers)
    return numbers
