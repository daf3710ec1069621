"""Places of a job: a slot is a (role, index) that one live container fills; what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xlearning.job import CHIEF, WORKER, JobSpec, OutputStrategy, RoleSpec, Task


@dataclass(frozen=True)
class SavedPart:
    """A container's whole part of a save; ``kept`` files are unchanged and lie in the saves ``needs``."""

    container_id: str
    role: str
    index: int
    files: int
    size: int
    kept: int
    changed: int
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Uploaded:
    """A container whose whole output lies in ``_temporary``; there are files in all of ``places``."""

    container_id: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class Slot:
    """A place to fill, with the requested role that can fill it (``chief`` fills worker 0)."""

    role: str
    index: int
    request: str


def streams_output(job: JobSpec, task: Task) -> bool:
    """Whether the standard output of ``task`` is output of the job."""
    if job.output_strategy is not OutputStrategy.STREAM or task.role != WORKER:
        return False
    return job.output_index is None or task.index == job.output_index


def slots(roles: Sequence[RoleSpec]) -> list[Slot]:
    """All places of a job. The chief is worker 0; ordinary workers then start at 1."""
    chiefs = sum(role.instances for role in roles if role.name == CHIEF)
    places = []
    for spec in roles:
        for number in range(spec.instances):
            if spec.name == CHIEF:
                places.append(Slot(WORKER, number, CHIEF))
            else:
                places.append(Slot(spec.name, number + (chiefs if spec.name == WORKER else 0), spec.name))
    return places


def fill(places: Sequence[Slot], granted: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, Slot]:
    """Give every place of a complete gang its container.

    Parameters
    ----------
    places : sequence of Slot
    granted : mapping
        Requested role -> (host, container id) of the containers that have it.

    Returns
    -------
    dict
        Container id -> slot. Within a role the order is that of host and container id, so that
        neighbouring indices share a host.
    """
    filled: dict[str, Slot] = {}
    for request in {place.request for place in places}:
        wanted = sorted((p for p in places if p.request == request), key=lambda p: p.index)
        chosen = sorted(granted.get(request, ()))
        filled.update({container: place for place, (_, container) in zip(wanted, chosen, strict=False)})
    return filled
