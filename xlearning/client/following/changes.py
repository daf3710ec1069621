"""What a person wants to read about the difference between two snapshots. Pure text."""

from __future__ import annotations

from collections import Counter

from xlearning.client.following.moving import moving
from xlearning.cluster.exit_words import words
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
    parts = [snapshot.state.value, *(f"{role}: {text}" for role, text in roles(snapshot).items())]
    if snapshot.progress is not None:
        parts.append(f"{snapshot.progress:.0%}")
    parts += moving(snapshot)
    return " · ".join(parts)


def changes(before: Snapshot | None, now: Snapshot) -> list[str]:
    """One line for each thing that is new, and one for how it then stands; the first snapshot is all new."""
    standing = [summary(now)] if before is None or _key(before) != _key(now) else []
    return [*news(before, now), *standing]


def news(before: Snapshot | None, now: Snapshot) -> list[str]:
    """The things alone."""
    lines = []
    if before is not None and before.attempt != now.attempt:
        lines.append(f"Attempt {now.attempt} of the application has started")
    lines += [
        f"{title}: {text}"
        for title, old, text in (
            ("Page", before and before.page_url, now.page_url),
            (now.board.program, before and before.board.url, now.board.url),
        )
        if text and text != old
    ]
    board = now.board.note
    lines += [board] if board and not (before and board == before.board.note) else []
    lines += [f"Note: {note}" for note in now.notes if before is None or note not in before.notes]
    lines += new_failures(before, now)
    known_saves = {save.id: save.state for save in before.saves} if before else {}
    return lines + [save_line(save) for save in reversed(now.saves) if known_saves.get(save.id) != save.state]


def new_failures(before: Snapshot | None, now: Snapshot) -> list[str]:
    """One line for each container that has failed."""
    known = {container.id for container in before.containers if container.state in _BAD} if before else set()
    return [_failure(c) for c in now.containers if c.state in _BAD and c.id not in known]


def places(snapshot: Snapshot) -> list[ContainerView]:
    """The container that has each place of the job now, or had it last."""
    newest: dict[object, ContainerView] = {}
    for container in snapshot.containers:
        if container.index is None and container.state.final and not snapshot.state.final:
            continue  # it never had a place, and another one has been asked for
        slot = container.id if container.index is None else (container.role, container.index)
        if slot not in newest or container.generation >= newest[slot].generation:
            newest[slot] = container
    return list(newest.values())


def missing(snapshot: Snapshot) -> int:
    """How many containers a job that has not ended still waits for."""
    if snapshot.state.final:
        return 0
    return max(0, sum(role.instances for role in snapshot.roles) - len(places(snapshot)))


def save_line(save: SaveView) -> str:
    """How a save stands, with everything that is missing in it."""
    parts = f"{save.done} of {save.containers} containers"
    if save.state is SaveState.QUEUED:
        return f"Save Model {save.id} waits for the end of the one that runs"
    if not save.state.final:
        return f"Save Model {save.id}: {parts}"
    amount = f"{save.files} file{'' if save.files == 1 else 's'}, {format_bytes(save.size)}"
    line = f"Save Model {save.id} {save.state.value}: {parts}, {amount}"
    if save.state is not SaveState.FAILED:
        line += f" in {', '.join(save.paths)}"
    return "\n  ".join([line, *save.failures, *save.notes])


def _key(snapshot: Snapshot) -> tuple[object, ...]:
    tenths = None if snapshot.progress is None else int(snapshot.progress * 10)
    return snapshot.state, tuple(roles(snapshot).items()), tenths


def roles(snapshot: Snapshot) -> dict[str, str]:
    """Role -> how many of its containers are in which state, those still awaited included."""
    taken = places(snapshot)
    wanted: Counter[str] = Counter()
    for role in snapshot.roles:
        wanted[WORKER if role.name == CHIEF else role.name] += role.instances
    found = {}
    for name in dict.fromkeys([*wanted, *(container.role for container in taken)]):
        states = [container.state for container in taken if container.role == name]
        counts = Counter(state_word(state) for state in states)
        lacking = wanted[name] - len(states)
        if lacking > 0:
            counts["waiting"] = lacking
        found[name] = ", ".join(f"{count} {state}" for state, count in counts.items())
    return found


def state_word(state: ContainerState) -> str:
    """A container's state for people."""
    return _WORDS.get(state, state.value.lower())


def _failure(container: ContainerView) -> str:
    why = container.reason.partition("\n")[0] or (
        words(container.exit_code) if container.exit_code is not None else ""
    )
    where = f"{container.id} on {container.host}" if container.host else container.id
    return f"{label(container)} ({where}) {container.state.value}" + (f": {why}" if why else "")
