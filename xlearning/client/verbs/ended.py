"""``xl-submit history``: jobs that have ended, those that only their history remembers too."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from xlearning.client.answers import JSON, answer, answer_json, format_moment, table
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.following.epilogue import first_failure
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.listing import Known, Wish, known_jobs, not_shown, nothing, warn_of_unasked
from xlearning.client.verbs.places import Place, Places
from xlearning.client.verbs.records import EndedJob, JobHistory, duration, summary_of
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import UsageError, XLearningError
from xlearning.fs.base import parent
from xlearning.history.reader import HistoryReader
from xlearning.job import AppState, Snapshot, to_dict
from xlearning.units import format_duration

_HEAD = ("ID", "NAME", "ON", "STATE", "ENDED", "TOOK", "RESULT")
_APP_ID = re.compile(r"application_(\d+)_(\d+)")
_AT_ONCE = 8  # records that are read side by side
_WORDS = 100  # characters of a result


@dataclass(frozen=True)
class Entry:
    """A job that has ended, and its record; None where there is none, or it cannot be read."""

    found: Found
    record: Snapshot | None


@dataclass(frozen=True)
class Ended:
    """The jobs that are shown, the newest first, how many more there are, and what is missing."""

    entries: Sequence[Entry]
    more: int
    notes: Sequence[str]


def run(places: Places, console: Console, *, wish: Wish, output: str) -> int:
    """List jobs that have ended; the exit code."""
    known = known_jobs(places, Wish(user=wish.user, all_users=wish.all_users))
    ended, now = ended_jobs(known, wish), time.time()
    warn_of_unasked(known, console)
    for note in ended.notes:
        console.warn(note)
    if output == JSON:
        told = answer_json(to_dict(job_history(ended, known, now)), console)
    else:
        users = wish.all_users or bool(wish.user)
        told = not ended.entries or answer(history_lines(ended.entries, now, users=users), console)
        if not ended.entries and not ended.more:
            console.info(nothing(known, wish))
        elif ended.more:
            console.info(f"{not_shown(ended.more)}: --limit N shows more")
    return EXIT_OK if told and not known.unasked else EXIT_CLIENT


def final_states(states: Collection[AppState]) -> list[AppState]:
    """Those in which a job can have ended; all of them where none is named.

    Raises
    ------
    UsageError
        There is none among those that are named.
    """
    found = [state for state in states or AppState if state.final]
    if not found:
        raise UsageError(
            f"no job that is {' or '.join(states)} has ended", hint="xl-submit list shows jobs that go on"
        )
    return found


def ended_jobs(known: Known, wish: Wish) -> Ended:
    """The newest jobs that have ended, with their records.

    Of what a place does not know any more, the newest records are read, as many as are wanted.
    """
    ended = [one for one in known.found if one.report.state in wish.states]
    entries = [Entry(one, None) for one in ended[: wish.limit]]
    more, notes = len(ended) - len(entries), list[str]()
    seen = {one.app_id for one in known.found}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for place in reversed(known.asked):  # a folder that both places share is YARN's
            forgotten = _forgotten(place, seen, wish, notes)
            seen |= set(forgotten)
            read = list(pool.map(partial(_remembered, place), forgotten[: wish.limit]))
            entries += [one for one in read if one and _is_meant(one.found, wish)]
            more += len(forgotten[wish.limit :])
        entries.sort(key=lambda one: -one.found.report.submitted)
        more += len(entries[wish.limit :])
        return Ended(list(pool.map(_with_record, entries[: wish.limit])), more, notes)


def _forgotten(place: Place, known: Collection[str], wish: Wish, notes: list[str]) -> list[str]:
    """Ids of records of jobs that the place does not know, the newest first."""
    root = parent(place.history("application_0_0"))
    try:
        children = place.fss.of(root).list(root)
    except FileNotFoundError:
        return []
    except (XLearningError, OSError) as error:
        notes.append(f"jobs that {place.title} has forgotten are missing: {root} cannot be listed: {error}")
        return []
    owner = "" if _everybody(place, wish) else wish.user or place.user
    found = [
        (int(match[1]), int(match[2]), child.name)
        for child in children
        if child.is_dir and child.name not in known and (match := _APP_ID.fullmatch(child.name))
        if owner in ("", child.owner)
    ]
    return [name for _, _, name in sorted(found, reverse=True)]


def _everybody(place: Place, wish: Wish) -> bool:
    """On this machine all jobs are the user's own, whatever name they were submitted under."""
    own = not wish.user or wish.user == place.user
    return wish.all_users or (place.name == "local" and own)


def _remembered(place: Place, app_id: str) -> Entry | None:
    """A job of which only its record is left; None where that does not tell its end."""
    record = _record(place, app_id, "")
    if record is None or not record.state.final:
        return None
    return Entry(Found(ApplicationReport.of(record), place), record)


def _is_meant(found: Found, wish: Wish) -> bool:
    whose = _everybody(found.place, wish) or found.report.user == (wish.user or found.place.user)
    return found.report.state in wish.states and whose


def _with_record(entry: Entry) -> Entry:
    found = entry.found
    return entry if entry.record else Entry(found, _record(found.place, found.app_id, found.report.user))


def _record(place: Place, app_id: str, user: str) -> Snapshot | None:
    try:
        return HistoryReader(place.fss).believed(place.history(app_id), app_id, user)
    except (XLearningError, OSError):  # private, damaged, never written, or not the user's
        return None


def entry_of(entry: Entry, now: float) -> EndedJob:
    """What programs are told of one job. ``now``: seconds since 1970."""
    report, record = entry.found.report, entry.record
    good, failed = report.state is AppState.SUCCEEDED, first_failure(record)
    reason = report.diagnostics.strip() or (record.reason.strip() if record else "")
    outputs = record.outputs if record and good else ()
    return EndedJob(
        **vars(summary_of(report, entry.found.place.name, now)),
        reason="" if good else reason,
        exit_code=0 if good else failed.exit_code if failed else None,
        failed=failed.id if failed and not good else None,
        published=tuple(dict.fromkeys(output.remote for output in outputs)),
        recorded=record is not None,
    )


def job_history(ended: Ended, known: Known, now: float) -> JobHistory:
    """The answer for programs."""
    jobs = tuple(entry_of(one, now) for one in ended.entries)
    return JobHistory(jobs=jobs, more=ended.more, unasked=tuple(known.unasked), notes=tuple(ended.notes))


def history_lines(entries: Sequence[Entry], now: float, *, users: bool = False) -> list[str]:
    """A line for each; with ``users`` also whose it is."""
    rows = []
    for one in entries:
        report, lasted = one.found.report, duration(one.found.report, now)
        row = (
            report.app_id,
            *((report.user or "-",) if users else ()),
            report.name,
            one.found.place.title,
            report.state.value,
            format_moment(report.finished) if report.finished else "-",
            "-" if lasted is None or not report.finished else format_duration(lasted),
            _result(entry_of(one, now)),
        )
        rows.append(row)
    return table((_HEAD[0], *(("USER",) if users else ()), *_HEAD[1:]), rows)


def _result(job: EndedJob) -> str:
    """What was published, or the first words of why it did not succeed."""
    if job.state is AppState.SUCCEEDED:
        return ", ".join(job.published) or "-"
    first = job.reason.partition("\n")[0]
    return (first if len(first) <= _WORDS else f"{first[: _WORDS - 3]}...") or "-"
