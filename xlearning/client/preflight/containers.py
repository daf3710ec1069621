"""Whether YARN can give what a job asks for: each container, and all of them together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from xlearning.client.problems import Problem
from xlearning.cluster.exit_words import memory_property
from xlearning.cluster.gpus import GPU, gpus
from xlearning.cluster.skein_spec import AM_EXTRA_MB
from xlearning.cluster.yarn_facts import Facts
from xlearning.cluster.yarn_queues import MEMORY, VCORES, Queue
from xlearning.cluster.yarn_resources import PRIORITIES, node_label, priority
from xlearning.config import Config
from xlearning.job import PS, JobSpec, RoleSpec

_MASTER = "the ApplicationMaster"
_UNITS = {MEMORY: "MB of memory", VCORES: "cores", GPU: "GPUs"}
_ELSEWHERE = "ask for fewer or smaller containers, or name another queue with --queue"


def check(job: JobSpec, config: Config, facts: Facts, queue: Queue | None) -> list[Problem]:
    """Everything that YARN would refuse, or never give.

    Parameters
    ----------
    queue : Queue or None
        Where the job goes; None where that is not known.
    """
    found = [*_single(job, config, facts, queue)]
    if not found and queue is not None:
        found += _together(job, config, facts, queue)
    try:
        priority(config)
    except ValueError:
        names = ", ".join(PRIORITIES)
        found.append(
            Problem(
                f"xlearning.app.priority={config.get('xlearning.app.priority')} is no priority",
                f"give a number from 0, or one of {names}",
            )
        )
    return found


def _single(job: JobSpec, config: Config, facts: Facts, queue: Queue | None) -> Iterator[Problem]:
    for role in (None, *job.roles):
        yield from _container(role, config, facts, queue)


def _container(role: RoleSpec | None, config: Config, facts: Facts, queue: Queue | None) -> Iterator[Problem]:
    who = f"a {role.name} container" if role else _MASTER
    limits = facts.limits
    most = {MEMORY: limits.memory_mb, VCORES: limits.vcores, GPU: limits.gpus}
    for name, wanted in _asked(role, config).items():
        key, limit, place = _spelled(_key(role, name), config), most[name], "this cluster"
        own = queue.largest.get(name) if queue else None
        if queue and own and (limit is None or own < limit):
            limit, place = own, f"queue {queue.path}"
        if name == GPU and wanted and limit == 0:
            yield Problem(
                f"{who} asks for {wanted} GPUs, but no node of this cluster offers {GPU}",
                f"lower {key} to 0, or ask the cluster's administrator for GPU scheduling",
            )
        elif limit is not None and wanted > limit:
            yield Problem(
                f"{who} asks for {wanted} {_UNITS[name]}; the largest container of {place} has {limit}",
                f"lower {key}",
            )


def _asked(role: RoleSpec | None, config: Config) -> dict[str, int]:
    """What one container of a role, or the ApplicationMaster, asks for."""
    if role is None:
        memory = config.get("xlearning.am.memory") + AM_EXTRA_MB
        return {MEMORY: memory, VCORES: config.get("xlearning.am.cores"), GPU: 0}
    return {MEMORY: role.memory_mb, VCORES: role.vcores, GPU: gpus(role, config)}


def _spelled(key: str, config: Config) -> str:
    """The property, or the option that has set it, as it was typed."""
    entry = config.entry(key)
    return entry.source if entry and entry.by_option else key


def _key(role: RoleSpec | None, name: str) -> str:
    """The property that decides it."""
    if role is not None and name == MEMORY:
        return memory_property(role.name)
    kind = "am" if role is None else PS if role.name == PS else "worker"
    return f"xlearning.{kind}.{ {MEMORY: 'memory', VCORES: 'cores', GPU: 'gpus'}[name] }"


def _together(job: JobSpec, config: Config, facts: Facts, queue: Queue) -> Iterator[Problem]:
    """A job starts when it has all its containers; one that can never have them would wait for ever."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    largest: dict[str, int] = defaultdict(int)
    for role in (None, *job.roles):
        part = node_label(role.name if role else "am", config)
        for name, wanted in _asked(role, config).items():
            each = math.ceil(wanted / facts.step_mb) * facts.step_mb if name == MEMORY else wanted
            sums[part][name] += each * (role.instances if role else 1)
            if name == MEMORY:
                largest[part] = max(largest[part], each)
    for part, asked in sums.items():
        where = f" on nodes with the label {part}" if part else ""
        for name, most in queue.most.get(part, {}).items():
            if name in _UNITS and asked[name] > most:
                yield Problem(
                    f"the job asks for {asked[name]} {_UNITS[name]} in all{where}{_crew(job)}; queue "
                    f"{queue.path} can never have more than {most}, so it would wait for ever",
                    _ELSEWHERE,
                )
                return
    # a user may go beyond the share by one container
    if queue.share is not None and sums[""][MEMORY] - largest[""] > queue.share:
        yield Problem(
            f"the job asks for {sums[''][MEMORY]} MB of memory in all{_crew(job)}; queue {queue.path} gives "
            f"one user {queue.share} MB (its capacity and user-limit-factor), so it would wait for ever",
            _ELSEWHERE,
        )


def _crew(job: JobSpec) -> str:
    parts = [f"{role.instances} {role.name}" for role in job.roles]
    return f" ({', '.join(parts)} and {_MASTER})"
