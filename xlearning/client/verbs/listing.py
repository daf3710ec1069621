"""``xl-submit list``: the user's jobs in all places."""

from __future__ import annotations

import time
from collections.abc import Sequence

from xlearning.client.answers import JSON, answer, answer_json, table
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.places import Places
from xlearning.client.verbs.status_text import duration, summary_json
from xlearning.errors import ClusterError, XLearningError
from xlearning.units import format_duration

_HEAD = ("ID", "NAME", "TYPE", "ON", "STATE", "SUBMITTED", "TIME")


def run(places: Places, console: Console, *, limit: int, every: bool, output: str) -> int:
    """List jobs, the newest first; the exit code.

    Parameters
    ----------
    limit : int
        How many are listed; those that have not ended are, however many they be.
    every : bool
        List all.

    Raises
    ------
    xlearning.errors.XLearningError
        No place could be asked.
    """
    found, where, silent = _known(places, console)
    shown = found if every else recent(found, limit)
    now = time.time()
    if output == JSON:
        told = answer_json([summary_json(one.report, one.place.title, now) for one in shown], console)
    else:
        told = not shown or answer(list_lines(shown, now), console)
        if not found:
            console.info(f"There is no job of yours {where}")
        elif len(shown) < len(found):
            console.info(f"{len(found) - len(shown)} older ones are not shown: --all shows them")
    return EXIT_OK if told and not silent else EXIT_CLIENT


def recent(found: Sequence[Found], limit: int) -> list[Found]:
    """The first ``limit`` of them, and all that have not ended."""
    running = {one.app_id for one in found if not one.report.state.final}
    ended = [one.app_id for one in found if one.report.state.final]
    wanted = running | set(ended[: max(0, limit - len(running))])
    return [one for one in found if one.app_id in wanted]


def list_lines(found: Sequence[Found], now: float) -> list[str]:
    """A line for each."""
    rows = []
    for one in found:
        report, lasted = one.report, duration(one.report, now)
        rows.append(
            (
                report.app_id,
                report.name,
                report.app_type or "-",
                one.place.title,
                report.state.value,
                time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(report.submitted)),
                "-" if lasted is None else format_duration(lasted),
            )
        )
    return table(_HEAD, rows)


def _known(places: Places, console: Console) -> tuple[list[Found], str, bool]:
    """What the places know, newest first; which they are; whether one did not answer, which is warned of."""
    found: list[Found] = []
    silent = False
    try:
        known = places.all()
    except XLearningError as error:
        silent, known = True, [places.local]
        console.warn(f"jobs on YARN are missing: {error.message}")
    for place in known:
        try:
            found += [Found(report, place) for report in place.cluster.list()]
        except ClusterError as error:
            silent = True
            console.warn(f"jobs on {place.title} are missing: {error.message}")
    where = " and ".join(f"on {place.title}" for place in known)
    return sorted(found, key=lambda one: -one.report.submitted), where, silent
