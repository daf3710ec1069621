"""What an application type decides: rules for its roles, and the program's environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from xlearning.am.core.policies import Rules
from xlearning.am.core.tasks import ClusterMap, Task
from xlearning.config import Config
from xlearning.job import JobSpec


class Framework(Protocol):
    """One application type. Pure: cluster map in, variables out."""

    def rules(self, job: JobSpec, config: Config) -> Rules:
        """How success, failure, ports and outputs work for this job."""

    def environment(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Mapping[str, str]:
        """Variables of the user process, beyond those that every type gets."""
