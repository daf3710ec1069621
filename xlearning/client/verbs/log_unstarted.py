"""Containers whose program never began, so that there is little to read. Pure: from a job's record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xlearning.client.following.changes import label
from xlearning.client.verbs.log_choice import LogTarget
from xlearning.client.verbs.standing import Standing
from xlearning.job import ContainerState, ContainerView

_SHOWN = 3  # containers, and reasons, that are told


def unstarted(standing: Standing) -> Mapping[str, ContainerView]:
    """Id -> container of those in which no program was ever started; empty where that is not sure."""
    if not standing.saw_end or standing.snapshot is None:
        return {}
    return {one.id: one for one in standing.snapshot.containers if one.started is None}


def never_any(standing: Standing) -> bool:
    """Whether the whole job ended before a program of it was started, by no fault of a container."""
    snapshot = standing.snapshot
    if snapshot is None or not standing.saw_end or snapshot.attempt > 1:
        return False
    return all(one.started is None and _only_stopped(one) for one in snapshot.containers)


def nothing_to_read(targets: Sequence[LogTarget], idle: Mapping[str, ContainerView]) -> bool:
    """Whether none of the containers can have logs of a program; those that failed may tell why."""
    return bool(targets) and all(one.id in idle and _only_stopped(idle[one.id]) for one in targets)


def told_of_job(standing: Standing) -> str:
    """That nothing was started, and why."""
    app_id, reason = standing.report.app_id, standing.reason.partition("\n")[0]
    return f"no program of {app_id} was started" + (f": {reason}" if reason else "")


def told_of(targets: Sequence[LogTarget], idle: Mapping[str, ContainerView], app_id: str) -> list[str]:
    """A sentence for each reason for which programs were not started, the first few."""
    whose: dict[str, list[str]] = {}
    for one in targets:
        if one.id in idle:
            view = idle[one.id]
            whose.setdefault(view.reason.strip().partition("\n")[0], []).append(label(view))
    return [
        f"{_names(names)}: no program was started{f': {why}' if why else ''}; see xl-submit status {app_id}"
        for why, names in list(whose.items())[:_SHOWN]
    ]


def _only_stopped(container: ContainerView) -> bool:
    return container.state is ContainerState.STOPPED


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
