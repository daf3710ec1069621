"""TENSORFLOW: ps, workers, chief and evaluator, with TF_CLUSTER_DEF and TF_CONFIG."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from xlearning.config import Config
from xlearning.frameworks.base import Crew, Framework, Rules, Setup, ps_role, worker_role
from xlearning.job import CHIEF, EVALUATOR, PS, WORKER, ClusterMap, JobSpec, RoleSpec, Task


def is_single(job: JobSpec, config: Config) -> bool:
    """No ps, and no distribution strategy over several workers: independent copies, no cluster map."""
    workers = sum(role.instances for role in job.roles if role.name in (WORKER, CHIEF))
    strategy = config.get("xlearning.tf.distribution.strategy") and workers > 1
    return job.role(PS) is None and not strategy


class TensorFlow(Framework):
    """Gang of ps and workers; ps are stopped when the workers are done, and their output is kept."""

    has_ps = True
    has_evaluator = True

    def roles(self, crew: Crew, config: Config) -> tuple[RoleSpec, ...]:
        """A chief is a role of its own where its memory differs and other workers stand beside it.

        A lone worker simply gets the chief's memory.
        """
        found = [ps_role(crew.ps, config)] if crew.ps else []
        workers = worker_role(crew.workers, config)
        chief_memory = config.get("xlearning.chief.worker.memory") or workers.memory_mb
        chief = dataclasses.replace(workers, instances=1, memory_mb=chief_memory)
        if crew.workers == 1:
            found.append(chief)
        elif chief_memory != workers.memory_mb:
            found.append(dataclasses.replace(chief, name=CHIEF))
            found.append(dataclasses.replace(workers, instances=crew.workers - 1))
        else:
            found.append(workers)
        if crew.evaluator:
            memory = config.get("xlearning.evaluator.worker.memory") or workers.memory_mb
            found.append(dataclasses.replace(workers, name=EVALUATOR, instances=1, memory_mb=memory))
        return tuple(found)

    def rules(self, job: JobSpec, config: Config) -> Rules:
        """A gang, unless it is single."""
        single = is_single(job, config)
        ports = {} if single else {PS: 1, WORKER: 1}
        if not single and config.get("xlearning.tf.distribution.strategy"):
            ports[EVALUATOR] = 1
        return Rules(
            gang=not single,
            max_failure_rate=config.get("xlearning.container.maxFailures.rate"),
            ports=ports,
            upload_roles=frozenset((WORKER, PS, EVALUATOR)),
            has_chief=not single,
        )

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        """TF_ROLE and TF_INDEX always; the cluster's variables unless the job is single."""
        env = {"INDEX": str(task.index), "TF_INDEX": str(task.index), "TF_ROLE": task.role}
        if not is_single(job, config):
            strategy = config.get("xlearning.tf.distribution.strategy")
            env["TF_CLUSTER_DEF"] = _json(_definition(cluster, with_evaluator=strategy))
            env["TF_CONFIG"] = _json(_tf_config(job, task, cluster))
        return Setup(env)


def _definition(cluster: ClusterMap, *, with_evaluator: bool) -> dict[str, list[str]]:
    """The original's form: ``worker`` and ``ps``, no ``chief``; the evaluator only with a strategy."""
    roles = [WORKER, PS, *([EVALUATOR] if with_evaluator else [])]
    return {role: [member.address for member in cluster[role]] for role in roles if cluster.get(role)}


def _tf_config(job: JobSpec, task: Task, cluster: ClusterMap) -> dict[str, Any]:
    """TensorFlow's own form. ``chief`` is a task of its own where one or an evaluator was asked for."""
    named = _definition(cluster, with_evaluator=False)
    kind, index = task.role, task.index
    if job.role(CHIEF) is not None or job.role(EVALUATOR) is not None:
        workers = named.pop(WORKER, [])
        named = {CHIEF: workers[:1], **({WORKER: workers[1:]} if workers[1:] else {}), **named}
        if kind == WORKER:
            kind, index = (CHIEF, 0) if index == 0 else (WORKER, index - 1)
    return {"cluster": named, "task": {"type": kind, "index": index}}


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
