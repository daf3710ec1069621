"""Processor and memory use of the whole tree of a user process, as YARN counts it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import psutil

from xlearning.job import GpuView


@dataclass(frozen=True)
class Usage:
    """One sample.

    Attributes
    ----------
    cpu_percent : float
        Of one core, since the sample before; 0 for the first one.
    memory_bytes : int
        Resident memory of all processes, shared pages counted in each (as YARN does).
    gpus : tuple of GpuView
        Those of the container, where the job asks for some and NVIDIA's library is there.
    """

    cpu_percent: float = 0.0
    memory_bytes: int = 0
    gpus: tuple[GpuView, ...] = ()


class TreeMeter:
    """Samples a tree of processes.

    Parameters
    ----------
    tree : callable
        Processes of the tree as it is now.
    """

    def __init__(self, tree: Callable[[], Iterable[psutil.Process]]) -> None:
        self._tree = tree
        self._before: tuple[float, float] | None = None

    def sample(self) -> Usage:
        """Measure now. Processes that end meanwhile are left out."""
        memory, cpu = 0, 0.0
        for process in self._tree():
            try:
                with process.oneshot():
                    memory += process.memory_info().rss
                    # With the times of children that were waited for, the sum does not fall
                    # when a child ends.
                    cpu += sum(process.cpu_times()[:4])
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        now, before = time.monotonic(), self._before
        self._before = (now, cpu)
        if before is None or now <= before[0]:
            return Usage(0.0, memory)
        return Usage(max(0.0, 100.0 * (cpu - before[1]) / (now - before[0])), memory)
