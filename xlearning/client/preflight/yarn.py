"""What YARN would refuse, or never give, told before anything is uploaded."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from xlearning.client.console import Console
from xlearning.client.problems import Problem, refuse
from xlearning.cluster.skein_spec import AM_EXTRA_MB
from xlearning.cluster.yarn_resources import GPU, PRIORITIES, Limits, gpus, priority
from xlearning.cluster.yarn_words import memory_property
from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.job import PS, JobSpec, RoleSpec

_ATTEMPTS = "xlearning.app.max.attempts"
_EXPANDED = frozenset('"$`\n')


def fit_to_yarn(job: JobSpec, config: Config, limits: Limits, console: Console) -> JobSpec:
    """The job within the cluster's limits, with a line for everything that was lowered.

    Raises
    ------
    xlearning.errors.UsageError
        With everything that YARN would refuse.
    """
    refuse(problems(job, config, limits))
    job, notes = fit(job, config, limits)
    for note in notes:
        console.warn(note)
    return job


def prioritize(app_id: str, config: Config, change: Callable[[str, int], int], console: Console) -> None:
    """Give an application its priority; a line where YARN has another opinion."""
    wanted = priority(config)
    if wanted is None:
        return
    try:
        given = change(app_id, wanted)
    except (XLearningError, OSError) as error:
        console.warn(f"YARN did not take xlearning.app.priority={wanted}: {error}")
        return
    if given != wanted:
        console.warn(
            f"YARN gave the application priority {given}, not {wanted}: "
            "yarn.cluster.max-application-priority or the queue allows no more"
        )


def fit(job: JobSpec, config: Config, limits: Limits) -> tuple[JobSpec, list[str]]:
    """The job within the cluster's limits, and a line for everything that was lowered.

    The memory of later attempts grows up to the largest container of the cluster, as in the original.
    """
    notes = []
    if limits.attempts and config.get(_ATTEMPTS) > limits.attempts:
        notes.append(
            f"{_ATTEMPTS}={config.get(_ATTEMPTS)}: this cluster tries an application {limits.attempts} times "
            "at most (yarn.resourcemanager.am.max-attempts)"
        )
        job = dataclasses.replace(job, properties={**job.properties, _ATTEMPTS: str(limits.attempts)})
    roles = tuple(dataclasses.replace(role, memory_limit_mb=limits.memory_mb or 0) for role in job.roles)
    return dataclasses.replace(job, roles=roles), notes


def problems(job: JobSpec, config: Config, limits: Limits) -> list[Problem]:
    """Everything that YARN would refuse."""
    found = [*_master(config, limits), *_names(job)]
    for role in job.roles:
        found += _role(role, config, limits)
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


def _names(job: JobSpec) -> Iterator[Problem]:
    """YARN writes the names of files into a shell script of its own as they are."""
    for resource in job.resources:
        bad = sorted(_EXPANDED & set(resource.name))
        if bad:
            yield Problem(
                f"{resource.name!r}: a shell on the node would misread the name of this file, for the "
                f"{' '.join(map(repr, bad))} in it",
                "rename the file, or give it another name with PATH#NAME where the option takes one",
            )


def _master(config: Config, limits: Limits) -> Iterator[Problem]:
    memory = config.get("xlearning.am.memory") + AM_EXTRA_MB
    yield from _much("the ApplicationMaster", memory, limits.memory_mb, "MB of memory", "xlearning.am.memory")
    cores = config.get("xlearning.am.cores")
    yield from _much("the ApplicationMaster", cores, limits.vcores, "cores", "xlearning.am.cores")


def _role(role: RoleSpec, config: Config, limits: Limits) -> Iterator[Problem]:
    kind = PS if role.name == PS else "worker"
    memory = memory_property(role.name)
    yield from _much(f"a {role.name} container", role.memory_mb, limits.memory_mb, "MB of memory", memory)
    yield from _much(
        f"a {role.name} container", role.vcores, limits.vcores, "cores", f"xlearning.{kind}.cores"
    )
    wanted = gpus(role, config)
    if wanted and limits.gpus == 0:
        yield Problem(
            f"a {role.name} container asks for {wanted} GPUs, but no node of this cluster offers {GPU}",
            f"lower xlearning.{kind}.gpus to 0, or ask the cluster's administrator for GPU scheduling",
        )
    elif wanted:
        yield from _much(f"a {role.name} container", wanted, limits.gpus, "GPUs", f"xlearning.{kind}.gpus")


def _much(who: str, wanted: int, limit: int | None, unit: str, name: str) -> Iterator[Problem]:
    if limit is not None and wanted > limit:
        yield Problem(
            f"{who} asks for {wanted} {unit}; the largest container of this cluster has {limit}",
            f"lower {name}",
        )
