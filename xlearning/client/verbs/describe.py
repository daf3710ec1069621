"""``xl-submit describe``: everything that is known of one job."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace

from xlearning.client.answers import JSON, answer, answer_json
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.sweep import staged_job
from xlearning.client.verbs.applications import Found, find_application
from xlearning.client.verbs.places import Places
from xlearning.client.verbs.records import AttemptView, JobDescription, Links, PlacesView, summary_of
from xlearning.client.verbs.standing import Standing, known_containers, standing, state_of
from xlearning.cluster.base import KnownContainer
from xlearning.errors import ClusterError, XLearningError
from xlearning.history.reader import HistoryReader
from xlearning.history.store import public
from xlearning.job import JobSpec, to_dict

_ATTEMPT = re.compile(r"_(\d+)_\d+$")


def run(places: Places, console: Console, *, app_id: str, output: str) -> int:
    """Tell everything about an application; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        It could not be told.
    """
    from xlearning.client.verbs.describe_text import describe_lines

    found, now = find_application(app_id, places), time.time()
    told = description(found, now)
    if output == JSON:
        written = answer_json(to_dict(told), console)
    else:
        written = answer(describe_lines(told, found.place.title), console)
    return EXIT_OK if written else EXIT_CLIENT


def description(found: Found, now: float) -> JobDescription:
    """Everything that can be found out about an application; never fails, see its notes.

    Parameters
    ----------
    now : float
        Seconds since 1970.
    """
    stands, notes = standing(found), list[str]()
    spec = _spec(found, notes)
    masters = [one for one in stands.yarn if one.master]
    if found.report.attempt and not stands.yarn:
        masters = [one for one in known_containers(found, notes) if one.master]
    return describe(
        stands,
        spec,
        attempts=attempts(found.app_id, stands.report.attempt, masters),
        yarn_page=found.place.page(found.app_id),
        places=_places(found),
        now=now,
        notes=notes,
    )


def describe(
    stands: Standing,
    spec: JobSpec | None,
    *,
    attempts: Sequence[AttemptView],
    yarn_page: str,
    places: PlacesView,
    now: float,
    notes: Sequence[str] = (),
) -> JobDescription:
    """Put together what is known. Pure.

    Parameters
    ----------
    spec : JobSpec or None
        What was submitted, without secrets; None where it is not known any more.
    """
    seen, summary = stands.snapshot, summary_of(stands.report, stands.backend, now, state_of(stands))
    if seen is not None:
        filled = {
            "app_type": summary.app_type or seen.app_type,
            "attempt": summary.attempt or seen.attempt,
        }
        summary = replace(summary, **filled)  # type: ignore[arg-type]
    ended = stands.report.state.final
    source = seen or spec
    return JobDescription(
        **vars(summary),
        reason=stands.reason,
        started=seen.started if seen else None,
        phase=seen.phase if seen else "",
        progress=seen.progress if seen else None,
        command=source.command if source else (),
        roles=source.roles if source else (),
        input_strategy=source.input_strategy.value if source else "",
        inputs=seen.inputs if seen else (),
        output_strategy=given.output_strategy.value if (given := spec or seen) else "",
        output_index=spec.output_index if spec else None,
        outputs=source.outputs if source else (),
        resources=spec.resources if spec else (),
        env=spec.env if spec else {},
        properties=spec.properties if spec else {},
        board=seen.board if seen else None,
        containers=seen.containers if seen else (),
        backend_containers=tuple(stands.yarn),
        saves=seen.saves if seen else (),
        attempts=tuple(attempts),
        links=Links(
            page=seen.page_url if seen and not ended else "",
            board=seen.board.url if seen and not ended else "",
            yarn=yarn_page,
        ),
        places=places,
        source=stands.source,
        notes=(*stands.notes, *notes),
    )


def attempts(app_id: str, last: int, masters: Sequence[KnownContainer]) -> list[AttemptView]:
    """Every attempt up to the number ``last``, and those of which the back end knows a container."""
    known = {int(found[1]): one for one in masters if (found := _ATTEMPT.search(one.id))}
    number = app_id.removeprefix("application_")
    return [
        AttemptView(n, one.id, one.host, one.state)
        if (one := known.get(n))
        else AttemptView(n, f"container_{number}_{n:02d}_000001", "", "")
        for n in range(1, max(last, *known, 0) + 1)
    ]


def _spec(found: Found, notes: list[str]) -> JobSpec | None:
    """What was submitted: from staging as long as it is there, else from the history."""
    spec = None if found.report.state.final else _staged(found)
    if spec is not None:
        return public(spec)
    try:
        folder, user = found.place.history(found.app_id), found.report.user
        return HistoryReader(found.place.fss).believed_spec(folder, found.app_id, user)
    except (XLearningError, OSError):
        notes.append(
            "properties, variables and files are not known: they are neither in staging nor recorded"
        )
        return None


def _staged(found: Found) -> JobSpec | None:
    try:
        return staged_job(found.place.staging(found.app_id), found.place.fss, found.report.user)
    except (XLearningError, OSError):
        return None


def _places(found: Found) -> PlacesView:
    try:
        staging = found.place.staging(found.app_id)
    except (ClusterError, OSError):
        staging = ""
    return PlacesView(
        staging=staging,
        history=found.place.history(found.app_id),
        folder=found.place.folder(found.app_id),
        logs=f"xl-submit logs {found.app_id}",
    )
