"""The last words about an application. Pure text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xlearning.client.following.changes import label
from xlearning.client.following.exits import NODES, hint, reserved
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.exit_words import OUT_OF_MEMORY, words
from xlearning.job import AppState, ContainerState, ContainerView, SaveState, Snapshot
from xlearning.units import format_duration

LAST_LINES = 20
_SAVES = 3  # the newest
_PROGRAM_LOGS = ("stderr", "stdout")
_MORE = re.compile(r"and \d+ more")
_HINT = "  hint: "  # how an error brings its way out along
_BAD = (ContainerState.FAILED, ContainerState.LOST)


def first_failure(snapshot: Snapshot | None) -> ContainerView | None:
    """The container that failed first; None when none did."""
    return next(iter(failures(snapshot)), None)


def failures(snapshot: Snapshot | None) -> list[ContainerView]:
    """Containers that failed or were lost, in the order in which they did."""
    bad = [c for c in snapshot.containers if c.state in _BAD] if snapshot else []
    return sorted(bad, key=lambda c: c.ended)


def epilogue(
    report: ApplicationReport,
    snapshot: Snapshot | None,
    *,
    logs: Mapping[str, str] | None = None,
    published: Mapping[str, Sequence[str]] | None = None,
    python: str = "",
    where: str = NODES,
) -> list[str]:
    """Lines that tell how the application ended.

    Parameters
    ----------
    snapshot : Snapshot or None
        The last one that was seen.
    logs : mapping, optional
        Log name -> place, of the container that failed first, or of the ApplicationMaster.
    published : mapping, optional
        Output folder -> what is in it.
    python : str, optional
        The interpreter of our processes.
    where : str
        What a hint calls the machines that the job ran on.
    """
    if report.state is AppState.SUCCEEDED:
        return [*_success(report, snapshot, published or {}), *_logs(logs or {})]
    return _failure(report, snapshot, logs or {}, python, where)


def _success(
    report: ApplicationReport, snapshot: Snapshot | None, published: Mapping[str, Sequence[str]]
) -> list[str]:
    lines = [f"{report.app_id} SUCCEEDED{_duration(report)}"]
    bad = failures(snapshot)
    if bad:
        lines.append(f"  although {len(bad)} of its containers failed:")
        lines += [f"    {_who(container)}{_why(container)}" for container in bad]
    for remote, names in published.items():
        shown = _written(names, remote, snapshot)
        lines.append(f"  Output: {remote}")
        lines += [f"    {name}" for name in shown] or [f"    (empty: {_unwritten(remote, snapshot)})"]
    return lines + _saved(snapshot)


def _written(names: Sequence[str], remote: str, snapshot: Snapshot | None) -> Sequence[str]:
    """What is worth naming of an output folder; not the folders that containers would have filled."""
    views = snapshot.containers if snapshot else ()
    if snapshot is None or not views or any(one.uploaded_files for one in views):
        return names
    own = {f"{one.id}/" for one in views}
    own |= {f"{output.local}/" for output in snapshot.outputs if output.remote == remote}
    return [] if own.issuperset(name for name in names if not _MORE.fullmatch(name)) else names


def _unwritten(remote: str, snapshot: Snapshot | None) -> str:
    own = [one for one in snapshot.outputs if one.remote == remote] if snapshot else []
    places = dict.fromkeys(snapshot.written_to(one) for one in own) if snapshot else {}
    return f"no program wrote to {', '.join(places)}" if places else "the program wrote nothing"


def _failure(
    report: ApplicationReport, snapshot: Snapshot | None, logs: Mapping[str, str], python: str, where: str
) -> list[str]:
    reason = report.diagnostics.strip() or (snapshot.reason.strip() if snapshot else "")
    told, fix = reserved(reason, python)
    first, *more = [*([told] if told else []), *reason.splitlines()] or [""]
    lines = [f"{report.app_id} {report.state.value}{_duration(report)}" + (f": {first}" if first else "")]
    hints = [line for line in more if line.startswith(_HINT)]
    lines += [f"  {line}" for line in more[-LAST_LINES:] if line not in hints]
    container = first_failure(snapshot)
    if container is not None:
        said = container.reason.strip().split("\n")[0]
        known = _why(container)[2:] in reason or (said and said in reason)
        lines.append(f"  First to fail: {_who(container)}{'' if known else _why(container)}")
        lines += _tail(container)
    lines += _logs(logs)
    lines += _saved(snapshot)
    if fix:
        lines.append(f"  hint: {fix}")
    elif hints:
        lines += hints
    elif container is not None:
        advice = hint(container.exit_code, container.last_lines, container.reason, where, container.role)
        lines += [f"  hint: {advice}"] if advice else []
    return lines


def _tail(container: ContainerView) -> list[str]:
    shown = container.last_lines[-LAST_LINES:]
    if not shown:
        return []
    count = "line" if len(shown) == 1 else f"{len(shown)} lines"
    return [f"  Its last {count}:", *(f"    | {line}" for line in shown)]


def _saved(snapshot: Snapshot | None) -> list[str]:
    """Saved models outlive the job."""
    saves = [save for save in (snapshot.saves if snapshot else ()) if save.done]
    return [
        f"  Saved: {path}" + ("" if save.state is SaveState.SUCCEEDED else " (not all of it)")
        for save in saves[:_SAVES]
        for path in save.paths
    ]


def _logs(logs: Mapping[str, str]) -> list[str]:
    """Names below their common folder where they share one, else one line each."""
    folders = {place.rpartition("/")[0] for place in logs.values()}
    names = sorted(logs, key=lambda name: (name not in _PROGRAM_LOGS, name))
    if len(folders) == 1 and all(place.endswith(f"/{name}") for name, place in logs.items()):
        return [f"  Logs: {folders.pop()}/ ({', '.join(names)})"]
    return [f"  Log {name}: {logs[name]}" for name in names]


def _who(container: ContainerView) -> str:
    where = f" on {container.host}" if container.host else ""
    return f"{label(container)} ({container.id}{where})"


def _why(container: ContainerView) -> str:
    told = words(container.exit_code) if container.exit_code is not None else ""
    reason = container.reason.strip().split("\n")[0]
    if reason.startswith((f"exit code {container.exit_code}:", OUT_OF_MEMORY)):
        return f": {reason}"
    code, _, meaning = told.partition(": ")
    if meaning and reason.startswith(meaning):
        return f": {code}: {reason}"
    if told and reason and reason not in told and told not in reason:
        return f": {told} ({reason})"
    return f": {reason if told in reason else told}" if (told or reason) else ""


def _duration(report: ApplicationReport) -> str:
    if report.finished is None or not report.submitted:
        return ""
    return f" after {format_duration(report.finished - report.submitted)}"
