"""TENSORFLOW: ps, workers, chief and evaluator, with TF_CLUSTER_DEF and TF_CONFIG."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from xlearning.config import Config
from xlearning.frameworks.base import Crew, Framework, Rules, Setup, alone, ps_role, worker_role
from xlearning.job import CHIEF, EVALUATOR, PS, WORKER, ClusterMap, JobSpec, RoleSpec, Task

_STRATEGY = "xlearning.tf.distribution.strategy"
_COORDINATOR = "xlearning.tf.coordinator"


def is_single(job: JobSpec, config: Config) -> bool:
    """No ps, and no distribution strategy over several workers: independent copies, no cluster map."""
    return job.role(PS) is None and not _has_strategy(config)


def _has_strategy(config: Config) -> bool:
    """A strategy for several workers, as asked for: evaluator included, however few files there are."""
    return bool(config.get(_STRATEGY) and config.get("xlearning.worker.num") > 1)


class TensorFlow(Framework):
    """Gang of ps and workers; ps are stopped when the workers are done, and their output is kept."""

    has_ps = True
    has_evaluator = True

    def problems(self, crew: Crew, config: Config) -> Sequence[tuple[str, str]]:
        """A coordinator needs somebody to coordinate."""
        if config.get(_COORDINATOR) and (not crew.ps or crew.workers < 2):
            return [
                (
                    f"{_COORDINATOR} needs parameter servers and at least 2 workers, not {crew.ps} and "
                    f"{crew.workers}: worker 0 only tells the others what to do",
                    f"raise --ps-num and --worker-num, or leave out {_COORDINATOR}",
                )
            ]
        return ()

    def no_evaluator(self, workers: int, ps: int, config: Config) -> str:
        """Independent workers have nothing that it could evaluate."""
        return super().no_evaluator(workers, ps, config) or (
            "" if ps or _has_strategy(config) else f"it needs --ps-num or --conf {_STRATEGY}=true"
        )

    def notes(self, crew: Crew, config: Config) -> Sequence[str]:
        """Without servers or a strategy workers do not know one another."""
        return () if config.get(_STRATEGY) else alone(crew, f"--conf {_STRATEGY}=true")

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
        if not single and config.get(_STRATEGY):
            ports[EVALUATOR] = 1
        return Rules(
            gang=not single,
            max_failure_rate=config.get("xlearning.container.maxFailures.rate"),
            ports=ports,
            upload_roles=frozenset((WORKER, PS, EVALUATOR)),
            has_chief=not single,
            chief_decides=config.get(_COORDINATOR),
        )

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        """Role and index always; the cluster's variables unless the job is single. TN_ is Hbox's spelling."""
        env = {"INDEX": str(task.index), "TF_ROLE": task.role, "TF_INDEX": str(task.index)}
        if not is_single(job, config):
            found = definition(cluster, with_evaluator=config.get(_STRATEGY))
            env["TF_CLUSTER_DEF"] = _json(found)
        env |= {name.replace("TF_", "TN_"): value for name, value in env.items() if name.startswith("TF_")}
        if not is_single(job, config):
            env["TF_CONFIG"] = _json(self.tf_config(job, config, task, cluster))
            if own := cluster[task.role][task.index].address:
                env["LOCAL_ADDRESS"] = own
        return Setup(env)

    def tf_config(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> dict[str, Any]:
        """TF_CONFIG in TensorFlow's own form, in which the chief is no worker."""
        named = definition(cluster, with_evaluator=False)
        kind, index = task.role, task.index
        if _with_chief(job, config):
            workers = named.pop(WORKER, [])
            named = {CHIEF: workers[:1], **({WORKER: workers[1:]} if workers[1:] else {}), **named}
            if kind == WORKER:
                kind, index = (CHIEF, 0) if index == 0 else (WORKER, index - 1)
        return {"cluster": named, "task": {"type": kind, "index": index}}


def _with_chief(job: JobSpec, config: Config) -> bool:
    """Whether TF_CONFIG calls worker 0 the chief: where one of its own, or an evaluator, was asked for."""
    asked = job.role(CHIEF) is not None or job.role(EVALUATOR) is not None or _own_size(config)
    return bool(asked or config.get(_COORDINATOR))


def _own_size(config: Config) -> bool:
    """Whether the chief is of another size than the workers, also where it is the only one."""
    memory = config.get("xlearning.chief.worker.memory")
    return memory is not None and memory != config.get("xlearning.worker.memory")


def definition(cluster: ClusterMap, *, with_evaluator: bool) -> dict[str, list[str]]:
    """The original's form: ``worker`` and ``ps``, no ``chief``; the evaluator only with a strategy."""
    roles = [WORKER, PS, *([EVALUATOR] if with_evaluator else [])]
    return {role: [member.address for member in cluster[role]] for role in roles if cluster.get(role)}


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
