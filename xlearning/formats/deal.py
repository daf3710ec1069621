"""Which worker reads which split, and in which order. Pure; splits are known by their numbers."""

from __future__ import annotations

import enum
import heapq
import itertools
import random
from collections.abc import Sequence

from xlearning.config import Config


class Order(str, enum.Enum):
    """How splits are dealt to the workers.

    CONTIGUOUS gives neighbours, n div W of them and the first n mod W workers one more; ROUNDROBIN gives
    split i to worker i mod W; RANDOM deals like CONTIGUOUS after a shuffle. LOCAL deals like CONTIGUOUS
    until it is known where the workers are, and then by `deal_near`.
    """

    CONTIGUOUS = "CONTIGUOUS"
    ROUNDROBIN = "ROUNDROBIN"
    RANDOM = "RANDOM"
    LOCAL = "LOCAL"


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


def deal_near(
    lengths: Sequence[int], places: Sequence[Sequence[str]], workers: Sequence[str]
) -> list[list[int]]:
    """The numbers of the splits of each worker: on their own hosts as far as all get about the same.

    Parameters
    ----------
    lengths : sequence of int
        Bytes of each split.
    places : sequence
        Hosts that hold each split, the best first; none where it is not known.
    workers : sequence of str
        The host of each worker.

    Returns
    -------
    list
        In order within each worker. No worker gets more bytes than another one by more than the longest
        split and a byte for each worker.
    """
    on: dict[str, list[int]] = {}
    for worker, host in enumerate(workers):
        on.setdefault(host, []).append(worker)
    share = -(-sum(lengths) // len(workers))
    bytes_of = [0] * len(workers)
    dealt: list[list[int]] = [[] for _ in workers]
    left = []
    for number, (length, hosts) in enumerate(zip(lengths, places, strict=True)):
        near = [worker for host in hosts for worker in on.get(host, ())]
        best = min(near, key=bytes_of.__getitem__, default=None)
        if best is None or bytes_of[best] + length > share:
            left.append(number)
            continue
        dealt[best].append(number)
        bytes_of[best] += length
    heap = [(size, worker) for worker, size in enumerate(bytes_of)]
    heapq.heapify(heap)
    for number in left:
        size, worker = heap[0]
        dealt[worker].append(number)
        heapq.heapreplace(heap, (size + lengths[number], worker))
    return [sorted(numbers) for numbers in dealt]


def epoch_order(count: int, seed: int | None, epoch: int) -> Sequence[int]:
    """The order in which a worker reads its ``count`` splits in epoch 0, 1, ...: by seed, or as they are."""
    return range(count) if seed is None else _shuffled(count, f"epoch {epoch} {seed}")


def _shuffled(count: int, seed: str) -> list[int]:
    numbers = list(range(count))
    random.Random(seed).shuffle(numbers)
    return numbers
