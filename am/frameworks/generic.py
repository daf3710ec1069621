"""Any other type: N independent copies of the command."""

from __future__ import annotations

from collections.abc import Mapping

from xlearning.am.core.policies import Rules
from xlearning.am.core.tasks import ClusterMap, Task
from xlearning.config import Config
from xlearning.job import JobSpec


class Generic:
    """Independent workers, judged by the failure rate (``xlearning.container.maxFailures.rate``)."""

    def rules(self, job: JobSpec, config: Config) -> Rules:  # noqa: ARG002 - the protocol's signature
        return Rules(gang=False, max_failure_rate=config.get("xlearning.container.maxFailures.rate"))

    def environment(
        self,
        job: JobSpec,  # noqa: ARG002
        config: Config,  # noqa: ARG002
        task: Task,
        cluster: ClusterMap,  # noqa: ARG002
    ) -> Mapping[str, str]:
        return {"INDEX": str(task.index)}
