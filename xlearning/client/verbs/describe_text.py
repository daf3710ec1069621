"""Everything about one job, as text for a person. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from xlearning.client.answers import table
from xlearning.client.language.choice import answering
from xlearning.client.verbs.records import JobDescription
from xlearning.client.verbs.status_text import (
    container_lines,
    fact_lines,
    known_lines,
    moment,
    note_lines,
    save_lines,
)
from xlearning.job import AppState, OutputStrategy
from xlearning.units import format_bytes, format_duration


def describe_lines(job: JobDescription, where: str) -> list[str]:
    """The lines.

    Parameters
    ----------
    where : str
        The back end as people call it.
    """
    now = (job.submitted or 0.0) + (job.seconds or 0.0)
    lines = [_first(job), *fact_lines(_facts(job, where))]
    lines += _roles(job) + _inputs(job) + _outputs(job) + _resources(job)
    lines += _pairs("Environment given", job.env) + _pairs("Properties that are not defaults", job.properties)
    lines += _titled("Containers", container_lines(job.containers, now, ended=job.state.final))
    lines += _titled("Containers", known_lines(job.backend_containers))
    lines += _titled("Saves", save_lines(job.saves))
    lines += _attempts(job)
    lines += _titled("Links", ["", *fact_lines(_links(job))])
    lines += _titled("Places", ["", *fact_lines(_places(job))])
    if job.notes:
        lines += note_lines(job.notes)
    return lines


def _first(job: JobDescription) -> str:
    word = "after" if job.state.final else "for"
    how_long = "" if job.seconds is None else f" {word} {format_duration(job.seconds)}"
    return answering()(f"{job.app_id} {job.state.value}{how_long}")


def _facts(job: JobDescription, where: str) -> list[tuple[str, str]]:
    say = answering()
    return [
        ("Command", shlex.join(job.command)),
        ("Name", job.app_name),
        ("Type", job.app_type),
        ("User", job.user),
        ("On", say(where)),
        ("Queue", job.queue),
        ("Submitted", moment(job.submitted)),
        ("Started", moment(job.started)),
        ("Ended", moment(job.finished)),
        ("Attempt", str(job.attempt or "")),
        ("Phase", "" if job.state.final or job.phase == job.state.value else job.phase),
        ("Progress", "" if job.progress is None else f"{job.progress:.0%}"),
        ("Reason", "" if job.state is AppState.SUCCEEDED else say(job.reason)),
    ]


def _roles(job: JobDescription) -> list[str]:
    rows = [
        (one.name, str(one.instances), format_bytes(one.memory_mb * 2**20), str(one.vcores))
        for one in job.roles
    ]
    return _block("Roles", ("ROLE", "NUMBER", "MEMORY", "CORES"), rows)


def _inputs(job: JobDescription) -> list[str]:
    rows = [
        (f"./{one.local}", str(one.files), format_bytes(one.size), ", ".join(one.patterns))
        for one in job.inputs
    ]
    return _block(f"Inputs ({job.input_strategy})", ("FOLDER", "FILES", "SIZE", "FROM"), rows)


def _outputs(job: JobDescription) -> list[str]:
    whose = "" if job.output_index is None else f", from worker {job.output_index} alone"
    title = f"Outputs ({job.output_strategy}{whose})" if job.output_strategy else "Outputs"
    streamed = job.output_strategy == OutputStrategy.STREAM.value
    rows = [("standard output" if streamed else f"./{one.local}", one.remote) for one in job.outputs]
    return _block(title, ("FROM" if streamed else "FOLDER", "TO"), rows)


def _resources(job: JobDescription) -> list[str]:
    rows = [(one.name, one.kind.value.lower(), one.uri) for one in job.resources]
    return _block("Files and archives", ("NAME", "KIND", "FROM"), rows)


def _attempts(job: JobDescription) -> list[str]:
    rows = [(str(one.attempt), one.state or "-", one.host or "-", one.container_id) for one in job.attempts]
    if len(rows) == 1 and not job.attempts[0].host:
        return []
    return _block("Attempts", ("ATTEMPT", "STATE", "HOST", "APPLICATIONMASTER"), rows)


def _links(job: JobDescription) -> list[tuple[str, str]]:
    return [("Page", job.links.page), ("TensorBoard", job.links.board), ("YARN", job.links.yarn)]


def _places(job: JobDescription) -> list[tuple[str, str]]:
    return [
        ("Staging", "" if job.state.final else job.places.staging),
        ("History", job.places.history),
        ("Folder", job.places.folder),
        ("Logs", job.places.logs),
    ]


def _pairs(title: str, values: Mapping[str, str]) -> list[str]:
    said = answering()(title)
    return ["", said, *(f"  {name} = {values[name]}" for name in sorted(values))] if values else []


def _block(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return _titled(title, ["", *table(head, rows)]) if rows else []


def _titled(title: str, lines: Sequence[str]) -> list[str]:
    """Lines below an empty one get a title, and stand further in."""
    said = answering()(title)
    return ["", said, *(f"  {line.removeprefix('  ')}" for line in lines[1:])] if lines[1:] else []
