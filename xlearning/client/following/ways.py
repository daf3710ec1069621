"""How a job is to be followed, as the command line says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xlearning.client.problems import Problem, refuse
from xlearning.client.scan import Scan
from xlearning.job import CHIEF, WORKER, JobSpec

TEXT, JSON = "text", "json"
_LOGS = re.compile(r"([A-Za-z_][\w-]*)(?::(\d+))?")
_ALL = "all"


@dataclass(frozen=True)
class Chosen:
    """Whose output is shown; an empty ``role`` means everybody's, ``index`` None all of a role."""

    role: str = ""
    index: int | None = None


@dataclass(frozen=True)
class Ways:
    """What is wanted.

    Attributes
    ----------
    logs : Chosen or None
        None where no output is wanted.
    bystander : bool
        Whatever ends the client has nothing to do with the job.
    """

    detach: bool = False
    kill_on_exit: bool = False
    as_json: bool = False
    logs: Chosen | None = None
    bystander: bool = False


def ways_of(line: Scan) -> Ways:
    """What a command line wants; what makes no sense becomes a problem of it."""
    detach, kill = line.given("detach"), line.given("kill-on-exit")
    style = (line.one("format") or TEXT).lower()
    if style not in (TEXT, JSON):
        line.problems.append(
            Problem(f"--format is {TEXT} or {JSON}, not {style!r}", f"write --format {JSON}")
        )
    for name, given in (("--kill-on-exit", kill), ("--logs", line.given("logs"))):
        if detach and given:
            line.problems.append(
                Problem(f"--detach leaves at once, so {name} can do nothing", f"leave out --detach or {name}")
            )
    return Ways(detach, kill, style == JSON, chosen(line.one("logs"), line.problems))


def check_logs(ways: Ways, job: JobSpec) -> None:
    """`UsageError` where the job has no container whose output is wanted."""
    if ways.logs is None or not ways.logs.role:
        return
    counts: dict[str, int] = {}
    for spec in job.roles:
        name = WORKER if spec.name == CHIEF else spec.name
        counts[name] = counts.get(name, 0) + spec.instances
    has = ", ".join(f"{name}:0" + (f" to {name}:{n - 1}" if n > 1 else "") for name, n in counts.items())
    role, index = ways.logs.role, ways.logs.index
    if role not in counts or (index is not None and index >= counts[role]):
        wanted = role if index is None else f"{role}:{index}"
        refuse([Problem(f"--logs={wanted}: the job has no such container", f"it has {has}")])


def chosen(text: str | None, problems: list[Problem]) -> Chosen | None:
    """Whose output the value of ``--logs`` means; what means nobody becomes a problem."""
    if text is None:
        return None
    if text in ("", _ALL):
        return Chosen()
    match = _LOGS.fullmatch(text)
    if match is None:
        problems.append(
            Problem(f"--logs={text} names no container", "write --logs=worker, --logs=worker:0 or --logs")
        )
        return None
    return Chosen(match.group(1), int(match.group(2)) if match.group(2) else None)
