"""What page and API derive from a snapshot. Pure: no clock, no I/O."""

from __future__ import annotations

import shlex
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

from xlearning.job import (
    CHIEF,
    EVALUATOR,
    PS,
    SCHEDULER,
    TENSORBOARD,
    WORKER,
    BoardView,
    ContainerState,
    ContainerView,
    GpuView,
    SaveState,
    Snapshot,
    TransferView,
)
from xlearning.links import web_link

NOTHING = "–"
_ROLE_ORDER = (CHIEF, WORKER, EVALUATOR, PS, SCHEDULER)
_BROKEN = frozenset((ContainerState.FAILED, ContainerState.LOST))
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def title(snapshot: Snapshot) -> str:
    """The page's title, in XLearning's words: ``Tensorflow Application application_1_0001``."""
    return f"{snapshot.app_type.capitalize()} Application {snapshot.app_id}"


def role_names(snapshot: Snapshot) -> list[str]:
    """Every role of the job: workers first, then parameter servers, then the others by name."""
    names = {role.name for role in snapshot.roles} | {c.role for c in snapshot.containers}
    return sorted(names, key=lambda n: (_ROLE_ORDER.index(n) if n in _ROLE_ORDER else len(_ROLE_ORDER), n))


def replaced(snapshot: Snapshot) -> frozenset[str]:
    """Ids of containers that broke and whose place another one has taken.

    One with an index is replaced when a higher generation holds it. One that broke before it got an
    index is replaced when its role is complete without it.
    """
    newest: dict[tuple[str, int], int] = {}
    healthy: Counter[str] = Counter()
    for c in snapshot.containers:
        if c.index is not None:
            newest[c.role, c.index] = max(c.generation, newest.get((c.role, c.index), c.generation))
        if c.state not in _BROKEN:
            healthy[c.role] += 1
    wanted = {role.name: role.instances for role in snapshot.roles}
    return frozenset(
        c.id
        for c in snapshot.containers
        if c.state in _BROKEN
        and (
            healthy[c.role] >= wanted.get(c.role, 0)
            if c.index is None
            else newest[c.role, c.index] > c.generation
        )
    )


def failing(snapshot: Snapshot) -> list[ContainerView]:
    """Containers that broke and were not replaced, the earliest end first: the cause before its effects."""
    gone = replaced(snapshot)
    broken = [c for c in snapshot.containers if c.state in _BROKEN and c.id not in gone]
    return sorted(broken, key=lambda c: (c.finished is None, c.finished or 0.0, c.id))


def ordered(snapshot: Snapshot) -> list[ContainerView]:
    """The containers as the table first shows them: failing ones, then by role, index and generation."""
    bad = {c.id for c in failing(snapshot)}
    rank = {name: n for n, name in enumerate(role_names(snapshot))}

    def key(c: ContainerView) -> tuple[bool, int, bool, int, int, str]:
        return (c.id not in bad, rank[c.role], c.index is None, c.index or 0, c.generation, c.id)

    return sorted(snapshot.containers, key=key)


def waiting(snapshot: Snapshot) -> tuple[int, int] | None:
    """(containers there, containers wanted) while the job waits for them, else None."""
    if snapshot.state.final or any(c.started is not None for c in snapshot.containers):
        return None
    wanted = sum(role.instances for role in snapshot.roles)
    present = sum(1 for c in snapshot.containers if not c.state.final)
    return (present, wanted) if present < wanted else None


def state_counts(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    """For each role how many containers are in which state, in the order of the states."""
    counts = Counter((c.role, c.state) for c in snapshot.containers)
    return {
        role: {state.value: counts[role, state] for state in ContainerState if counts[role, state]}
        for role in role_names(snapshot)
    }


def summary(snapshot: Snapshot) -> dict[str, Any]:
    """The above as one JSON-ready dictionary, so that page and scripts need not work it out again."""
    wait = waiting(snapshot)
    return {
        "title": title(snapshot),
        "phase": phase_text(snapshot),
        "roles": role_names(snapshot),
        "failing": [c.id for c in failing(snapshot)],
        "replaced": sorted(replaced(snapshot)),
        "waiting": {"present": wait[0], "wanted": wait[1]} if wait else None,
        "counts": state_counts(snapshot),
        "board_note": board_note(snapshot.board),
        "board_page": board_page(snapshot.board),
        "saving": saving(snapshot),
    }


def phase_text(snapshot: Snapshot) -> str:
    """The phase, unless it only repeats the state."""
    return "" if snapshot.phase.lower() == snapshot.state.value.lower() else snapshot.phase


def board_page(board: BoardView) -> bool:
    """Whether ``tb/`` below the page shows it; VisualDL's pages have to know that they are there."""
    told = "/tb/" in board.url
    return (board.program == TENSORBOARD or told) and bool(web_link(board.url))


def board_note(board: BoardView) -> str:
    """Why there is no link to the board, or what to know about the one there is."""
    if board.note:
        return board.note
    if not board.enabled:
        return f"{board.program} is off for this job (xlearning.tf.board.enable)."
    if not board.url:
        return f"{board.program} is not up yet."
    wrong = f"{board.program} gave an address that no browser can open: {board.url}"
    return "" if web_link(board.url) else wrong


def saving(snapshot: Snapshot) -> str:
    """How far the save is that runs, in the original's words, else why none can begin; empty when one can."""
    run = next((save for save in snapshot.saves if save.state is SaveState.RUNNING), None)
    if run is None:
        return snapshot.save_note
    waiting = sum(save.state is SaveState.QUEUED for save in snapshot.saves)
    more = f", {waiting} more wait" if waiting else ""
    return f"saving the model ... {run.done}/{run.containers}{more}"


def place(container: ContainerView) -> str:
    """``role:index``, or the role alone while the container has no index."""
    return container.role if container.index is None else f"{container.role}:{container.index}"


def size_text(count: int | float | None) -> str:
    """Bytes for people: ``512 B``, ``1.5 KiB``, ``412 MiB``."""
    if count is None:
        return NOTHING
    value, unit = float(count), 0
    while value >= 1023.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    if unit == 0 or value >= 9.95:
        return f"{int(value + 0.5)} {_UNITS[unit]}"
    return f"{int(value * 10 + 0.5) / 10:.1f} {_UNITS[unit]}"


def duration_text(seconds: float | None) -> str:
    """Seconds for people, in at most two units: ``45 s``, ``1 m 12 s``, ``2 h 3 m``, ``3 d 4 h``."""
    if seconds is None:
        return NOTHING
    whole = max(0, int(seconds))
    steps = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
    for (unit, size), (finer, part) in pairwise(steps):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // part} {finer}"
    return f"{whole} s"


def percent_text(fraction: float | None) -> str:
    """A fraction (0..1) in whole per cent, rounded down so that 100 % means done."""
    return NOTHING if fraction is None else f"{int(fraction * 100 + 1e-9)} %"


def cpu_text(percent: float | None) -> str:
    """Per cent of one core, rounded."""
    return NOTHING if percent is None else f"{int(percent + 0.5)} %"


def gpus_text(gpus: Sequence[GpuView]) -> str:
    """How GPUs are used: ``GPU 0: 87 %, 12 GiB of 40 GiB``."""
    return "; ".join(
        f"GPU {one.index}: {cpu_text(one.busy_percent)}, "
        f"{size_text(one.memory_bytes)} of {size_text(one.memory_limit_bytes)}"
        for one in gpus
    )


def exit_text(code: int | None) -> str:
    """An exit code, with the signal's name where it stands for one: ``137 SIGKILL``."""
    if code is None:
        return NOTHING
    try:
        return f"{code} {signal.Signals(code - 128).name}" if code > 128 else str(code)
    except ValueError:
        return str(code)


def time_text(moment: float | None) -> str:
    """Seconds since 1970 as ``2026-11-29 19:20:11 UTC``."""
    return _utc(moment).strftime("%Y-%m-%d %H:%M:%S UTC") if moment else NOTHING


def time_iso(moment: float) -> str:
    """Seconds since 1970 for the ``datetime`` attribute."""
    return _utc(moment).strftime("%Y-%m-%dT%H:%M:%SZ")


def transfer_text(moving: TransferView | None) -> str:
    """What a container copies: ``input: 3 of 10 files, 1.2 GiB of 4.0 GiB, 85 MiB/s``."""
    if moving is None:
        return ""
    files = f"{moving.files} of {moving.total_files} files, " if moving.total_files else ""
    done = size_text(moving.size)
    size = f"{done} of {size_text(moving.total_size)}" if moving.total_size else done
    return f"{moving.what}: {files}{size}, {size_text(moving.rate)}/s"


def filters() -> Iterator[tuple[str, Any]]:
    """The functions above under the names that the templates use."""
    yield from (
        ("size", size_text),
        ("transfer", transfer_text),
        ("duration", duration_text),
        ("percent", percent_text),
        ("cpu", cpu_text),
        ("gpus", gpus_text),
        ("exit", exit_text),
        ("time", time_text),
        ("iso", time_iso),
        ("place", place),
        ("quote", shlex.quote),
        ("board_note", board_note),
        ("web_link", web_link),
    )


def _utc(moment: float) -> datetime:
    return datetime.fromtimestamp(moment, tz=timezone.utc)
