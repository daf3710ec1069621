"""DMLC's rendezvous: a scheduler that workers and servers find by ``DMLC_*`` variables (ps-lite)."""

from __future__ import annotations

from xlearning.config import Config
from xlearning.frameworks.addresses import reachable
from xlearning.frameworks.base import Crew, Framework, Rules, Setup, scheduler_role
from xlearning.job import PS, SCHEDULER, WORKER, ClusterMap, JobSpec, RoleSpec, Task

_ROLES = {PS: "server"}
_IDS = {WORKER: "DMLC_WORKER_ID", PS: "DMLC_SERVER_ID"}


class Dmlc(Framework):
    """Gang of a scheduler, servers and workers, all of which run the user's command.

    Servers are the parameter servers of other types. Scheduler and servers read no input and their
    output is not kept; where they do not end with the last worker, they are stopped.
    """

    has_ps = True

    def roles(self, crew: Crew, config: Config) -> tuple[RoleSpec, ...]:
        return (scheduler_role(config), *super().roles(crew, config))

    def rules(self, job: JobSpec, config: Config) -> Rules:
        """The scheduler listens on its port; a port of the others tells the address of their node."""
        return Rules(
            gang=True,
            ports={SCHEDULER: 1, PS: 1, WORKER: 1},
            service_roles=frozenset((SCHEDULER, PS)),
            upload_roles=frozenset((WORKER,)),
        )

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        root = cluster[SCHEDULER][0]
        env = {
            "INDEX": str(task.index),
            "DMLC_ROLE": _ROLES.get(task.role, task.role),
            "DMLC_PS_ROOT_URI": reachable(root, cluster),
            "DMLC_PS_ROOT_PORT": str(root.port),
            "DMLC_NUM_WORKER": str(len(cluster.get(WORKER, ()))),
            "DMLC_NUM_SERVER": str(len(cluster.get(PS, ()))),
        }
        if task.role in _IDS:
            env[_IDS[task.role]] = str(task.index)
        own = reachable(member := cluster[task.role][task.index], cluster)
        # ps-lite binds on it, which it cannot with a name; the user's choice of an interface comes first
        if own == member.ip and "DMLC_INTERFACE" not in job.env:
            env["DMLC_NODE_HOST"] = own
        return Setup(env)
