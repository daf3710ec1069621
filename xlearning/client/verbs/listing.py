"""``xl-submit list``: jobs in all places."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xlearning.client.answers import JSON, answer, answer_json, format_moment, table
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.language.choice import answering
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.places import Place, Places
from xlearning.client.verbs.records import JobList, Unasked, duration, summary_of
from xlearning.errors import ClusterError, UsageError, XLearningError
from xlearning.job import AppState, to_dict
from xlearning.units import format_duration

_HEAD = ("ID", "NAME", "TYPE", "ON", "STATE", "SUBMITTED", "TIME")
_YARN = "yarn"
# YARN's own words for what is one state here.
_YARN_STATES = {
    **dict.fromkeys(("NEW", "NEW_SAVING", "ACCEPTED"), (AppState.SUBMITTED,)),
    "FINISHED": (AppState.SUCCEEDED, AppState.FAILED),
    "ALL": tuple(AppState),
}


@dataclass(frozen=True)
class Wish:
    """Which jobs are meant.

    Attributes
    ----------
    limit : int
        How many are shown; those that have not ended are, however many they be.
    every : bool
        Show all.
    states : collection of AppState
        Only those in one of these; empty for all.
    user : str
        Whose; empty for one's own.
    all_users : bool
        Whether everybody's.
    """

    limit: int = 20
    every: bool = False
    states: Collection[AppState] = ()
    user: str = ""
    all_users: bool = False


@dataclass(frozen=True)
class Known:
    """What the places know, newest first, and which did not tell."""

    found: Sequence[Found]
    asked: Sequence[Place]
    unasked: Sequence[Unasked]


def run(places: Places, console: Console, *, wish: Wish, output: str) -> int:
    """List jobs, the newest first; the exit code."""
    known = known_jobs(places, wish)
    shown = known.found if wish.every else recent(known.found, wish.limit)
    now = time.time()
    warn_of_unasked(known, console)
    if output == JSON:
        told = answer_json(to_dict(job_list(known, shown, now)), console)
    else:
        told = not shown or answer(list_lines(shown, now, users=_others(wish)), console)
        if not known.found:
            console.info(nothing(known, wish))
        elif len(shown) < len(known.found):
            console.info(f"{not_shown(len(known.found) - len(shown))}: --all shows them")
    return EXIT_OK if told and not known.unasked else EXIT_CLIENT


def known_jobs(places: Places, wish: Wish) -> Known:
    """The jobs that are meant, from all places that answer."""
    found: list[Found] = []
    asked, unasked = [], []
    try:
        everywhere = places.all()
    except XLearningError as error:
        unasked, everywhere = [Unasked(_YARN, error.message)], [places.local]
    for place in everywhere:
        try:
            jobs = place.jobs(wish.user or place.user, everybody=wish.all_users)
        except ClusterError as error:
            unasked.append(Unasked(place.name, error.message))
            continue
        asked.append(place)
        found += [Found(one, place) for one in jobs if not wish.states or one.state in wish.states]
    return Known(sorted(found, key=lambda one: -one.report.submitted), asked, unasked)


def job_list(known: Known, shown: Sequence[Found], now: float) -> JobList:
    """The answer for programs. ``now``: seconds since 1970."""
    return JobList(
        jobs=tuple(summary_of(one.report, one.place.name, now) for one in shown),
        more=len(known.found) - len(shown),
        unasked=tuple(known.unasked),
    )


def warn_of_unasked(known: Known, console: Console) -> None:
    """A line for each place that did not tell."""
    for one in known.unasked:
        console.warn(f"jobs on {_title(one.backend)} are missing: {one.reason}")


def parse_states(texts: Sequence[str]) -> list[AppState]:
    """States from words with commas, in any case; YARN's own words count too.

    Raises
    ------
    UsageError
        Naming all words that are no state.
    """
    words = [word.strip().upper() for text in texts for word in text.split(",") if word.strip()]
    known = {**{state.value: (state,) for state in AppState}, **_YARN_STATES}
    unknown = [word for word in words if word not in known]
    if unknown:
        raise UsageError(
            f"--state {', '.join(unknown)}: there is no such state",
            hint=f"the states are {', '.join(state.value for state in AppState)}",
        )
    return [state for word in words for state in known[word]]


def not_shown(count: int) -> str:
    """That there are ``count`` older jobs."""
    return "1 older one is not shown" if count == 1 else f"{count} older ones are not shown"


def recent(found: Sequence[Found], limit: int) -> list[Found]:
    """The first ``limit`` of them, and all that have not ended."""
    running = {one.app_id for one in found if not one.report.state.final}
    ended = [one.app_id for one in found if one.report.state.final]
    wanted = running | set(ended[: max(0, limit - len(running))])
    return [one for one in found if one.app_id in wanted]


def list_lines(found: Sequence[Found], now: float, *, users: bool = False) -> list[str]:
    """A line for each; with ``users`` also whose it is."""
    rows, say = [], answering()
    for one in found:
        report, lasted = one.report, duration(one.report, now)
        row = (
            report.app_id,
            *((report.user or "-",) if users else ()),
            report.name,
            report.app_type or "-",
            say(one.place.title),
            report.state.value,
            format_moment(report.submitted),
            "-" if lasted is None else format_duration(lasted),
        )
        rows.append(row)
    return table((_HEAD[0], *(("USER",) if users else ()), *_HEAD[1:]), rows)


def _others(wish: Wish) -> bool:
    return wish.all_users or bool(wish.user)


def nothing(known: Known, wish: Wish) -> str:
    """That there is nothing, where that is known; elsewhere it is not said."""
    whose = "" if wish.all_users else f" of {wish.user}" if wish.user else " of yours"
    state = f" that is {' or '.join(one.value for one in wish.states)}" if wish.states else ""
    if set(wish.states) == {one for one in AppState if one.final}:
        state = " that has ended"
    if not known.asked:
        return f"Whether there is a job{whose}{state} is not known: nobody could be asked"
    titles = [place.title for place in known.asked]
    where = " and ".join(f"on {title}" for title in titles)
    silent = "".join(f"; {_title(one.backend)} could not be asked" for one in known.unasked)
    return f"There is no job{whose}{state} {where}{silent}"


def _title(backend: str) -> str:
    return "YARN" if backend == _YARN else "this machine"
