"""XFLOW: scheduler, servers and workers on ps-lite, with or without servers."""

from __future__ import annotations

import dataclasses

from xlearning.config import Config
from xlearning.frameworks.base import Setup
from xlearning.frameworks.dmlc import Dmlc
from xlearning.job import PS, WORKER, ClusterMap, JobSpec, Task

_PROFILES = {WORKER: "./W", PS: "./S"}


class XFlow(Dmlc):
    """What `Dmlc` says, and where gperftools writes heap profiles: ``./W0``, ``./S0``."""

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        setup = super().setup(job, config, task, cluster)
        if task.role not in _PROFILES:
            return setup
        profile = f"{_PROFILES[task.role]}{task.index}"
        return dataclasses.replace(setup, env={**setup.env, "HEAPPROFILE": profile})
