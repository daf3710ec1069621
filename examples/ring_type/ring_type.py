"""RING: an application type of one's own. Each worker is told its neighbour."""

from __future__ import annotations

from xlearning.config import Config
from xlearning.frameworks.base import Crew, Framework, Rules, Setup
from xlearning.job import ClusterMap, JobSpec, Task


class Ring(Framework):
    """A gang of workers with one port each, in a circle."""

    def problems(self, crew: Crew, config: Config) -> list[tuple[str, str]]:
        if crew.workers < 3:
            return [(f"{crew.workers} workers make no ring", "give --worker-num 3 or more")]
        return []

    def rules(self, job: JobSpec, config: Config) -> Rules:
        return Rules(gang=True, ports={"worker": 1})

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        workers = cluster["worker"]
        return Setup(
            {
                "INDEX": str(task.index),
                "RING_SIZE": str(len(workers)),
                "RING_OWN": workers[task.index].address,
                "RING_RIGHT": workers[(task.index + 1) % len(workers)].address,
            }
        )
