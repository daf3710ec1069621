"""What YARN does with an application that it takes: attempts, memory of later ones, priority."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from xlearning.client.console import Console
from xlearning.cluster.yarn_resources import Limits, priority
from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.job import JobSpec

_ATTEMPTS = "xlearning.app.max.attempts"


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
