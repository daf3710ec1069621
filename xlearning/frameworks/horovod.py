"""HOROVOD: as MPI. Where Horovod was built without it, mpirun only starts the processes."""

from __future__ import annotations

from xlearning.config import Config
from xlearning.frameworks.base import peer
from xlearning.frameworks.mpi import Mpi
from xlearning.job import WORKER, ClusterMap, Task

_SWITCHES = ("mpi.threads.disable", "stall.check.disable", "hierarchical.allreduce")
_NUMBERS = ("fusion.threshold", "cycle.time")


class Horovod(Mpi):
    """One Horovod process per rank. On a second port of the launcher those without MPI find each other."""

    ports = 2
    fixed = (
        *Mpi.fixed,
        *("HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE", "HOROVOD_CROSS_"),
        *("HOROVOD_HOSTNAME", "HOROVOD_GLOO_RENDEZVOUS_"),
    )
    processes = "xlearning.horovod.process.num.per.worker"
    libraries = "xlearning.horovod.extra.ld.library.path"

    def variables(self, config: Config, task: Task, cluster: ClusterMap) -> dict[str, str]:
        """What the properties say, as Horovod reads it; nothing where they leave it to Horovod."""
        env = super().variables(config, task, cluster)
        for name in _SWITCHES:
            if config.get(f"xlearning.horovod.{name}"):
                env[_variable(name)] = "1"
        for name in _NUMBERS:
            if config.get(f"xlearning.horovod.{name}") >= 0:
                env[_variable(name)] = config.text(f"xlearning.horovod.{name}") or ""
        if timeline := config.get("xlearning.horovod.timeline"):
            env["HOROVOD_TIMELINE"] = timeline
        return env

    def interfaces(self, task: Task, cluster: ClusterMap) -> dict[str, str]:
        """For gloo, as with DISTTORCH."""
        hosts = [member.host for member in cluster[WORKER]]
        return {"HOROVOD_GLOO_IFACE": peer(task.index, hosts)} if task.role == WORKER else {}


def _variable(name: str) -> str:
    return f"HOROVOD_{name.upper().replace('.', '_')}"
