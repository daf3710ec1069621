"""MXNET: scheduler, servers and workers of MXNet's kvstore; independent workers without servers."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.config import Config
from xlearning.frameworks.base import Crew, Framework, Rules, Setup, alone
from xlearning.frameworks.dmlc import Dmlc
from xlearning.job import PS, ClusterMap, JobSpec, RoleSpec, Task


class MXNet(Dmlc):
    """What `Dmlc` says, where servers are asked for (``--ps-num``)."""

    def notes(self, crew: Crew, config: Config) -> Sequence[str]:
        """Without servers workers do not know one another."""
        return alone(crew, "--ps-num")

    def roles(self, crew: Crew, config: Config) -> tuple[RoleSpec, ...]:
        return super().roles(crew, config) if crew.ps else Framework.roles(self, crew, config)

    def rules(self, job: JobSpec, config: Config) -> Rules:
        return super().rules(job, config) if job.role(PS) else Framework.rules(self, job, config)

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        if job.role(PS):
            return super().setup(job, config, task, cluster)
        return Framework.setup(self, job, config, task, cluster)
