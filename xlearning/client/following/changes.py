"""What a person wants to read about the difference between two snapshots. Pure text."""

from __future__ import annotations

from collections import Counter

from xlearning.client.following.exits import words
from xlearning.job import CHIEF, WORKER, ContainerState, ContainerView, SaveState, SaveView, Snapshot
from xlearning.units import format_bytes

_WORDS = {
    ContainerState.GRANTED: "starting",
    ContainerState.REGISTERED: "starting",
    ContainerState.PREPARING: "starting",
    ContainerState.LAUNCHING: "preparing",
}
_BAD = (ContainerState.FAILED, ContainerState.LOST)


def label(container: ContainerView) -> str:
    """``worker:1``; without an index as long as there is none."""
    return container.role if container.index is None else f"{container.role}:{container.index}"


def summary(snapshot: Snapshot) -> str:
    """State, containers per role and progress in one line."""
    parts = [snapshot.state.value, *(f"{role}: {text}" for role, text in _roles(snapshot).items())]
    if snapshot.progress is not None:
        parts.append(f"{snapshot.progress:.0%}")
    return " · ".join(parts)


def changes(before: Snapshot | None, now: Snapshot) -> list[str]:
    """One line for each thing that is new; the first snapshot is all new."""
    lines = []
    if before is not None and before.attempt != now.attempt:
        lines.append(f"Attempt {now.attempt} of the application has started")
    lines += [
        f"{title}: {text}"
        for title, old, text in (
            ("Page", before and before.page_url, now.page_url),
            ("TensorBoard", before and before.board.url, now.board.url),
            ("TensorBoard", before and before.board.note, now.board.note),
        )
        if text and text != old
    ]
    known_bad = (
        {container.id for container in before.containers if container.state in _BAD} if before else set()
    )
    lines += [_failure(c) for c in now.containers if c.state in _BAD and c.id not in known_bad]
    known_saves = {save.id: save.state for save in before.saves} if before else {}
    lines += [save_line(save) for save in reversed(now.saves) if known_saves.get(save.id) != save.state]
    if before is None or _key(before) != _key(now):
        lines.append(summary(now))
    return lines


def save_line(save: SaveView) -> str:
    """How a save stands, with everything that is missing in it."""
    parts = f"{save.done} of {save.containers} containers"
    if not save.state.final:
        return f"Save Model {save.id}: {parts}"
    amount = f"{save.files} file{'' if save.files == 1 else 's'}, {format_bytes(save.size)}"
    line = f"Save Model {save.id} {save.state.value}: {parts}, {amount}"
    if save.state is not SaveState.FAILED:
        line += f" in {', '.join(save.paths)}"
    return "\n  ".join([line, *save.failures])


def _key(snapshot: Snapshot) -> tuple[object, ...]:
    tenths = None if snapshot.progress is None else int(snapshot.progress * 10)
    return snapshot.state, tuple(_roles(snapshot).items()), tenths


def _roles(snapshot: Snapshot) -> dict[str, str]:
    """Role -> how many of its containers are in which state, those still awaited included."""
    newest: dict[object, ContainerView] = {}
    for container in snapshot.containers:
        if container.index is None and container.state.final and not snapshot.state.final:
            continue  # it never had a place, and another one has been asked for
        slot = container.id if container.index is None else (container.role, container.index)
        if slot not in newest or container.generation >= newest[slot].generation:
            newest[slot] = container
    wanted: Counter[str] = Counter()
    for role in snapshot.roles:
        wanted[WORKER if role.name == CHIEF else role.name] += role.instances
    found = {}
    for name in dict.fromkeys([*wanted, *(container.role for container in newest.values())]):
        states = [container.state for container in newest.values() if container.role == name]
        counts = Counter(_WORDS.get(state, state.value.lower()) for state in states)
        missing = wanted[name] - len(states)
        if missing > 0:
            counts["waiting"] = missing
        found[name] = ", ".join(f"{count} {state}" for state, count in counts.items())
    return found


def _failure(container: ContainerView) -> str:
    why = container.reason.partition("\n")[0] or (
        words(container.exit_code) if container.exit_code is not None else ""
    )
    where = f"{container.id} on {container.host}" if container.host else container.id
    return f"{label(container)} ({where}) {container.state.value}" + (f": {why}" if why else "")
