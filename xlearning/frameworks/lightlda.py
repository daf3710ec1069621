"""LIGHTLDA: servers that hold the model, and workers that find them by a list of endpoints."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.config import Config
from xlearning.frameworks.addresses import numeric
from xlearning.frameworks.base import Crew, Framework, Rules, Setup, alone
from xlearning.job import PS, WORKER, ClusterMap, JobSpec, Task

FILES = ("lightLDAEndPoints.txt", "lightLdaEndPoints.txt")
"""The same list under the names of XLearning and of Hbox, as programs were made for either."""
_LIMIT = "xlearning.lightlda.ps.end.timeout"


class LightLDA(Framework):
    """A gang; its servers write the model when the workers have ended, and end by themselves.

    Without servers: independent workers.
    """

    has_ps = True

    def notes(self, crew: Crew, config: Config) -> Sequence[str]:
        """Without servers workers do not know one another."""
        return alone(crew, "--ps-num")

    def rules(self, job: JobSpec, config: Config) -> Rules:
        """Output of servers counts, so their end is waited for."""
        single = job.role(PS) is None
        return Rules(
            gang=not single,
            max_failure_rate=config.get("xlearning.container.maxFailures.rate"),
            ports={} if single else {PS: 1},
            service_grace=config.get(_LIMIT),
            service_limit=_LIMIT,
            upload_roles=frozenset((WORKER, PS)),
        )

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        """Rank and role always; how many there are and where, unless there are no servers."""
        env = {"INDEX": str(task.index), "LIGHTLDA_RANK": str(task.index), "LIGHTLDA_ROLE": task.role}
        servers = cluster.get(PS, ())
        if not servers:
            return Setup(env)
        endpoints = [f"{numeric(server, cluster)}:{server.port}" for server in servers]
        env["LIGHTLDA_WORKER_NUM"] = str(len(cluster[WORKER]))
        env["LIGHTLDA_SERVER_NUM"] = str(len(servers))
        if task.role == PS:
            env["LIGHTLDA_SERVER_ENDPOINT"] = endpoints[task.index]
            return Setup(env)
        lines = "".join(f"{index} {endpoint}\n" for index, endpoint in enumerate(endpoints))
        return Setup(env, dict.fromkeys(FILES, lines))
