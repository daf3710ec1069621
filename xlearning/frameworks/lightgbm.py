"""DISTLIGHTGBM: a gang of workers that find one another by a list of machines."""

from __future__ import annotations

from xlearning.config import Config
from xlearning.frameworks.addresses import numeric
from xlearning.frameworks.base import Framework, Rules, Setup
from xlearning.job import WORKER, ClusterMap, JobSpec, Task

FILE = "lightGBMlist.txt"


class DistLightGBM(Framework):
    """Every worker has a port and the same list, in the order of their numbers."""

    def rules(self, job: JobSpec, config: Config) -> Rules:
        """A gang; LightGBM binds its port without an option that would let it share it."""
        return Rules(gang=True, ports={WORKER: 1}, lent_ports=frozenset((WORKER,)))

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        """The list as a file, and the two numbers that do not stand in it.

        LightGBM looks for itself in the list by the addresses of its machine: it has no names.
        """
        workers = cluster[WORKER]
        env = {
            "INDEX": str(task.index),
            "LIGHTGBM_NUM_MACHINE": str(len(workers)),
            "LIGHTGBM_LOCAL_LISTEN_PORT": str(workers[task.index].port),
        }
        lines = (f"{numeric(worker, cluster)} {worker.port}\n" for worker in workers)
        return Setup(env, {FILE: "".join(lines)})
