"""How a job stands, as text for a person. Pure."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence

from xlearning.client.answers import table
from xlearning.client.following.changes import label, summary
from xlearning.client.verbs.standing import BACK_END, MASTER, Standing
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.exit_words import words
from xlearning.job import AppState, ContainerView, SaveView, Snapshot
from xlearning.units import format_bytes, format_duration

_WIDE = 12  # columns of a title
_COMMAND = 300  # characters of the command that are shown


def state_of(standing: Standing) -> AppState:
    """The state that is true now: YARN learns the end last and the beginning late."""
    if standing.source == MASTER and standing.snapshot and not standing.report.state.final:
        return standing.snapshot.state
    return standing.report.state


def duration(report: ApplicationReport, now: float) -> float | None:
    """Seconds from submission to the end, or to ``now``; None where the submission is not known."""
    if not report.submitted:
        return None
    return max(0.0, (report.finished or now) - report.submitted)


def status_lines(standing: Standing, now: float) -> list[str]:
    """Everything about one job. ``now``: seconds since 1970."""
    report, snapshot = standing.report, standing.snapshot
    lines = [_first(standing, now), *_facts(standing)]
    if snapshot is not None:
        lines += _containers(snapshot, now, ended=report.state.final)
        lines += _saves(snapshot.saves)
    elif standing.yarn:
        rows = [("AM" if one.master else "-", one.state, one.host, one.id) for one in standing.yarn]
        lines += ["", *table(("ROLE", "STATE", "HOST", "CONTAINER"), rows)]
    if standing.notes:
        lines += ["", *(f"Note: {note}" for note in standing.notes)]
    return lines


def _first(standing: Standing, now: float) -> str:
    report, state = standing.report, state_of(standing)
    lasted = duration(report, now)
    how_long = "" if lasted is None else f" {'after' if state.final else 'for'} {format_duration(lasted)}"
    return f"{report.app_id} {state.value}{how_long}"


def _facts(standing: Standing) -> list[str]:
    report, snapshot = standing.report, standing.snapshot
    facts = [
        ("Name", report.name),
        ("Type", report.app_type or (snapshot.app_type if snapshot else "")),
        ("User", report.user),
        ("On", standing.where),
        ("Submitted", _time(report.submitted)),
        ("Ended", _time(report.finished or 0)),
        ("Reason", "" if report.state is AppState.SUCCEEDED else _reason(standing)),
    ]
    if snapshot is not None:
        facts += _facts_of(snapshot, ended=report.state.final)
    elif report.tracking_url:
        facts.append(("Page", report.tracking_url))
    return [f"  {title:<{_WIDE}}{_indent(text)}" for title, text in facts if text]


def _reason(standing: Standing) -> str:
    recorded = standing.snapshot.reason if standing.snapshot else ""
    return standing.report.diagnostics.strip() or recorded.strip()


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
    facts += [("Output", f"{one.remote} <- ./{one.local}") for one in snapshot.outputs]
    return facts


def _input(view: object) -> str:
    files, size = getattr(view, "files", 0), getattr(view, "size", 0)
    patterns = ", ".join(getattr(view, "patterns", ()))
    return f"{patterns} ({files} file{'' if files == 1 else 's'}, {format_bytes(size)})"


def _containers(snapshot: Snapshot, now: float, *, ended: bool) -> list[str]:
    if not snapshot.containers:
        return []
    rows: list[Sequence[str]] = []
    for one in snapshot.containers:
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
    for one, line in zip(snapshot.containers, lines[1:], strict=True):
        shown.append(line)
        why = one.reason.strip() or (words(one.exit_code) if one.exit_code else "")
        shown += [f"    {part}" for part in why.splitlines()[:3]]
    return shown


def _memory(container: ContainerView, *, ended: bool) -> str:
    limit = format_bytes(container.memory_limit_bytes) if container.memory_limit_bytes else ""
    used = "" if ended or container.memory_bytes is None else format_bytes(container.memory_bytes)
    return " of ".join(part for part in (used, limit) if part) or "-"


def _lasted(container: ContainerView, now: float, *, ended: bool) -> str:
    if container.started is None:
        return "-"
    if container.finished is None and (ended or container.state.final):
        return "-"
    return format_duration(max(0.0, (container.finished or now) - container.started))


def _saves(saves: Sequence[SaveView]) -> list[str]:
    if not saves:
        return []
    rows = [
        (
            one.id,
            one.state.value,
            f"{one.done} of {one.containers}",
            str(one.files),
            format_bytes(one.size),
            ", ".join(one.paths),
        )
        for one in saves
    ]
    return ["", *table(("SAVED", "STATE", "PARTS", "FILES", "SIZE", "FOLDER"), rows)]


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds)) if seconds else ""


def _indent(text: str) -> str:
    return text.replace("\n", "\n" + " " * (_WIDE + 2))


def status_json(standing: Standing, now: float) -> dict[str, object]:
    """The same for a program. Times are seconds since 1970; ``details`` is as in ``api/v1/job``."""
    from xlearning.job import to_dict

    return {
        **summary_json(standing.report, standing.where, now),
        "state": state_of(standing).value,
        "reason": standing.report.diagnostics,
        "source": standing.source if standing.source != BACK_END else standing.where,
        "notes": list(standing.notes),
        "details": to_dict(standing.snapshot) if standing.snapshot else None,
        "containers": [to_dict(one) for one in standing.yarn] if standing.snapshot is None else None,
    }


def summary_json(report: ApplicationReport, where: str, now: float) -> dict[str, object]:
    """One job of a list, for a program."""
    return {
        "id": report.app_id,
        "name": report.name,
        "type": report.app_type,
        "user": report.user,
        "where": where,
        "state": report.state.value,
        "submitted": report.submitted or None,
        "finished": report.finished,
        "seconds": duration(report, now),
        "tracking_url": report.tracking_url,
    }
