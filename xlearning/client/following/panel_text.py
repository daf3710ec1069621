"""What the panel of a terminal says while a job is followed. Pure text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xlearning.client.following.changes import label, places, roles, state_word
from xlearning.client.following.moving import moving
from xlearning.job import AppState, ContainerView, Snapshot
from xlearning.units import format_bytes, format_duration

_FEW = 8  # containers that get a line each
_BAR = 20  # columns


@dataclass(frozen=True)
class Moment:
    """What is known.

    Attributes
    ----------
    lasted : float
        Seconds since the submission.
    snapshot : Snapshot or None
        None while there is no ApplicationMaster.
    left : float or None
        Seconds until the end, where they can be told.
    waiting : str
        What is waited for, and why; empty where everything is there.
    reported : AppState
        What the back end says, where there is no snapshot.
    """

    app_id: str
    lasted: float
    snapshot: Snapshot | None
    left: float | None = None
    waiting: str = ""
    reported: AppState = AppState.SUBMITTED


def panel_text(moment: Moment) -> str:
    """The lines of the panel."""
    snapshot = moment.snapshot
    state = snapshot.state if snapshot else moment.reported
    first = f"{moment.app_id}  {state.value} for {format_duration(round(moment.lasted))}"
    if snapshot is not None and snapshot.attempt > 1:
        first += f"  attempt {snapshot.attempt}"
    lines = [first]
    if snapshot is not None:
        lines += _progress(snapshot, moment.left)
        lines += _roles(snapshot)
        lines += [f"  {line}" for line in moving(snapshot)]
        lines += _containers(places(snapshot))
    if moment.waiting:
        lines.append(f"  {moment.waiting}")
    return "\n".join(lines)


def _progress(snapshot: Snapshot, left: float | None) -> list[str]:
    if snapshot.progress is None:
        return []
    done = round(snapshot.progress * _BAR)
    line = f"  [{'#' * done}{'.' * (_BAR - done)}] {snapshot.progress:.0%}"
    return [line + (f"  about {format_duration(round(left))} left" if left is not None else "")]


def _roles(snapshot: Snapshot) -> list[str]:
    found = roles(snapshot)
    wide = max((len(name) for name in found), default=0)
    return [f"  {name:<{wide}}  {text}" for name, text in found.items()]


def _containers(containers: Sequence[ContainerView]) -> list[str]:
    """A line for each where they are few and say more than their role's line does."""
    alone = len(containers) == 1 and containers[0].progress is None
    if alone or not 0 < len(containers) <= _FEW:
        return []
    shown = sorted(containers, key=lambda one: (one.role, -1 if one.index is None else one.index))
    rows = [(label(one), state_word(one.state), _share(one), _memory(one), one.host) for one in shown]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "    " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]


def _share(container: ContainerView) -> str:
    return "" if container.progress is None else f"{container.progress:.0%}"


def _memory(container: ContainerView) -> str:
    if container.memory_bytes is None or container.state.final:
        return ""
    limit = f" of {format_bytes(container.memory_limit_bytes)}" if container.memory_limit_bytes else ""
    return format_bytes(container.memory_bytes) + limit
