"""How a job stands, as text for a person. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from xlearning.client.answers import format_moment, table
from xlearning.client.following.changes import label, summary
from xlearning.client.language.choice import answering
from xlearning.client.language.width import filled
from xlearning.client.verbs.records import duration
from xlearning.client.verbs.standing import Standing, state_of
from xlearning.cluster.base import KnownContainer
from xlearning.cluster.exit_words import words
from xlearning.job import AppState, ContainerView, SaveView, Snapshot
from xlearning.units import format_bytes, format_duration

_WIDE = 12  # columns of a title
_COMMAND = 300  # characters of the command that are shown


def status_lines(standing: Standing, now: float) -> list[str]:
    """Everything about one job. ``now``: seconds since 1970."""
    report, snapshot = standing.report, standing.snapshot
    lines = [_first(standing, now), *_facts(standing)]
    if snapshot is not None:
        lines += container_lines(snapshot.containers, now, ended=report.state.final)
        lines += save_lines(snapshot.saves)
    lines += known_lines(standing.yarn)
    if standing.notes:
        lines += note_lines(standing.notes)
    return lines


def note_lines(notes: Sequence[str]) -> list[str]:
    """What else should be known, below an empty line."""
    say = answering()
    return ["", *(say(f"Note: {note}") for note in notes)]


def _first(standing: Standing, now: float) -> str:
    report, state = standing.report, state_of(standing)
    lasted = duration(report, now)
    how_long = "" if lasted is None else f" {'after' if state.final else 'for'} {format_duration(lasted)}"
    return answering()(f"{report.app_id} {state.value}{how_long}")


def _facts(standing: Standing) -> list[str]:
    report, snapshot, say = standing.report, standing.snapshot, answering()
    facts = [
        ("Name", report.name),
        ("Type", report.app_type or (snapshot.app_type if snapshot else "")),
        ("User", report.user),
        ("On", say(standing.where)),
        ("Submitted", moment(report.submitted)),
        ("Ended", moment(report.finished)),
        ("Reason", "" if report.state is AppState.SUCCEEDED else say(standing.reason)),
    ]
    if snapshot is not None:
        facts += _facts_of(snapshot, ended=report.state.final)
    elif report.tracking_url:
        facts.append(("Page", report.tracking_url))
    return fact_lines(facts)


def fact_lines(facts: Sequence[tuple[str, str]]) -> list[str]:
    """A line per title and text; those without a text are left out."""
    say = answering()
    return [f"  {filled(say(title), _WIDE)}{_indent(text)}" for title, text in facts if text]


def _facts_of(snapshot: Snapshot, *, ended: bool) -> list[tuple[str, str]]:
    command = shlex.join(snapshot.command)
    facts = [
        ("Attempt", str(snapshot.attempt) if snapshot.attempt > 1 else ""),
        ("Command", command if len(command) <= _COMMAND else f"{command[:_COMMAND]} ..."),
    ]
    if not ended:
        facts += [
            ("Phase", snapshot.phase if snapshot.phase != snapshot.state.value else ""),
            ("Containers", summary(snapshot).partition(" · ")[2]),
            ("Page", snapshot.page_url),
            ("TensorBoard", snapshot.board.url),
        ]
    facts += [(f"Input {one.local}"[: _WIDE - 1], _input(one)) for one in snapshot.inputs]
    facts += [("Output", f"{one.remote} <- {snapshot.written_to(one)}") for one in snapshot.outputs]
    return facts


def _input(view: object) -> str:
    files, size = getattr(view, "files", 0), getattr(view, "size", 0)
    patterns = ", ".join(getattr(view, "patterns", ()))
    return f"{patterns} ({files} file{'' if files == 1 else 's'}, {format_bytes(size)})"


def container_lines(containers: Sequence[ContainerView], now: float, *, ended: bool) -> list[str]:
    """A table of containers below an empty line; nothing without any. ``ended``: whether the job has."""
    if not containers:
        return []
    rows: list[Sequence[str]] = []
    say = answering()
    for one in containers:
        rows.append(
            (
                label(one),
                one.state.value,
                "-" if one.exit_code is None else str(one.exit_code),
                one.host or "-",
                _memory(one, ended=ended),
                "-" if one.progress is None else f"{one.progress:.0%}",
                _lasted(one, now, ended=ended),
                one.id,
            )
        )
    head = ("ROLE", "STATE", "EXIT", "HOST", "MEMORY", "PROGRESS", "TIME", "CONTAINER")
    lines = table(head, rows)
    shown = ["", lines[0]]
    for one, line in zip(containers, lines[1:], strict=True):
        shown.append(line)
        why = one.reason.strip() or (words(one.exit_code) if one.exit_code else "")
        shown += [f"    {say(part)}" for part in why.splitlines()[:3]]
    return shown


def _memory(container: ContainerView, *, ended: bool) -> str:
    limit = format_bytes(container.memory_limit_bytes) if container.memory_limit_bytes else ""
    used = "" if ended or container.memory_bytes is None else format_bytes(container.memory_bytes)
    return f"{used} of {limit}".strip() if limit else used or "-"


def _lasted(container: ContainerView, now: float, *, ended: bool) -> str:
    if container.started is None:
        return "-"
    if container.finished is None and (ended or container.state.final):
        return "-"
    return format_duration(max(0.0, (container.finished or now) - container.started))


def known_lines(containers: Sequence[KnownContainer]) -> list[str]:
    """The same of what the back end alone knows."""
    rows = [
        ("AM" if one.master else one.role or "-", one.state or "-", one.host or "-", one.id)
        for one in containers
    ]
    return ["", *table(("ROLE", "STATE", "HOST", "CONTAINER"), rows)] if rows else []


def save_lines(saves: Sequence[SaveView]) -> list[str]:
    """The same of saves."""
    if not saves:
        return []
    rows = [
        (
            one.id,
            one.state.value,
            f"{one.done} of {one.containers}",
            str(one.files),
            format_bytes(one.size),
            one.trigger.value,
            format_duration(one.finished - one.started) if one.finished else "-",
            ", ".join(one.paths),
        )
        for one in saves
    ]
    return ["", *table(("SAVED", "STATE", "PARTS", "FILES", "SIZE", "BY", "LASTED", "FOLDER"), rows)]


def moment(seconds: float | None) -> str:
    """Date and time of this machine's clock; empty where they are not known."""
    return format_moment(seconds) if seconds else ""


def _indent(text: str) -> str:
    return text.replace("\n", "\n" + " " * (_WIDE + 2))
