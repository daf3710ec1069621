"""What the verbs tell programs: one record per verb, which ``--output json`` writes field by field.

``docs/schemas/`` is made from these records by ``tools/schemas.py``. Names are those of the page's API
(`xlearning.job.Snapshot`); times are seconds since 1970 (UTC), null where they are not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xlearning.client.verbs.standing import Standing, state_of
from xlearning.cluster.base import ApplicationReport, KnownContainer
from xlearning.job import (
    AppState,
    BoardView,
    ContainerView,
    InputView,
    LocalResource,
    OutputSpec,
    RoleSpec,
    SaveView,
    Snapshot,
)


@dataclass(frozen=True)
class JobSummary:
    """One job in few words.

    Attributes
    ----------
    backend : str
        ``local`` or ``yarn``.
    queue : str
        On YARN; empty elsewhere, and where it is not known.
    attempt : int
        Number of the last attempt; 0 where none has begun or it is not known.
    seconds : float or None
        From the submission to the end, or to now.
    tracking_url : str
        Where the back end sends who asks for the job; see ``open`` for the page itself.
    """

    app_id: str
    app_name: str
    app_type: str
    user: str
    queue: str
    backend: str
    state: AppState
    attempt: int
    submitted: float | None
    finished: float | None
    seconds: float | None
    tracking_url: str


@dataclass(frozen=True)
class Unasked:
    """A back end that could not be asked, and why."""

    backend: str
    reason: str


@dataclass(frozen=True)
class JobList:
    """Answer of ``list``.

    Attributes
    ----------
    jobs : tuple of JobSummary
        The newest first.
    more : int
        How many jobs are known that are not shown.
    unasked : tuple of Unasked
        Back ends whose jobs are missing.
    """

    jobs: tuple[JobSummary, ...]
    more: int
    unasked: tuple[Unasked, ...]


@dataclass(frozen=True)
class EndedJob(JobSummary):
    """One job that has ended.

    Attributes
    ----------
    reason : str
        Why it failed or was killed; else empty.
    exit_code : int or None
        0 where it has succeeded, else that of the program that failed first.
    failed : str or None
        The container of that program.
    published : tuple of str
        URIs of the folders to which it published.
    recorded : bool
        Whether its record could be read; without it only the back end's words are known.
    """

    reason: str
    exit_code: int | None
    failed: str | None
    published: tuple[str, ...]
    recorded: bool


@dataclass(frozen=True)
class JobHistory:
    """Answer of ``history``.

    Attributes
    ----------
    jobs : tuple of EndedJob
        The newest first.
    more : int
        How many are known that are not shown.
    unasked : tuple of Unasked
        Back ends whose jobs are missing.
    notes : tuple of str
        What cannot be told, and why.
    """

    jobs: tuple[EndedJob, ...]
    more: int
    unasked: tuple[Unasked, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class JobStatus(JobSummary):
    """Answer of ``status``.

    Attributes
    ----------
    reason : str
        Why it ended; empty where it has not, or nothing is to be said.
    source : str
        Who told the details: ``am``, ``history``, or ``backend``, which knows none.
    notes : tuple of str
        What cannot be told, and why.
    details : Snapshot or None
        As ``api/v1/job`` of the page.
    backend_containers : tuple of KnownContainer
        The containers as YARN knows them, where there are no details.
    """

    reason: str
    source: str
    notes: tuple[str, ...]
    details: Snapshot | None
    backend_containers: tuple[KnownContainer, ...]


@dataclass(frozen=True)
class AttemptView:
    """One attempt: its ApplicationMaster's container, and how YARN calls its state (empty elsewhere)."""

    attempt: int
    container_id: str
    host: str
    state: str


@dataclass(frozen=True)
class Links:
    """Addresses for a browser; empty where there is none (any more)."""

    page: str
    board: str
    yarn: str


@dataclass(frozen=True)
class PlacesView:
    """Where things of the job are.

    Attributes
    ----------
    staging, history : str
        URIs of folders; the first is there until the job has ended.
    folder : str
        With the logs, of a job of this machine.
    logs : str
        The command that shows the logs.
    """

    staging: str
    history: str
    folder: str
    logs: str


@dataclass(frozen=True)
class JobDescription(JobSummary):
    """Answer of ``describe``: everything that is known of a job.

    Attributes
    ----------
    started : float or None
        When the last attempt began.
    command : tuple of str
        Empty where it is not known.
    env : mapping
        Variables that were given for the program; values of secrets are hidden.
    properties : mapping
        Those that are not defaults; values of secrets are hidden.
    resources : tuple of LocalResource
        Files and archives of the working folders.
    output_index : int or None
        The only worker that publishes.
    source : str
        Who told the details: ``am``, ``history``, or ``backend``, which knows none.
    """

    reason: str
    started: float | None
    phase: str
    progress: float | None
    command: tuple[str, ...]
    roles: tuple[RoleSpec, ...]
    input_strategy: str
    inputs: tuple[InputView, ...]
    output_strategy: str
    output_index: int | None
    outputs: tuple[OutputSpec, ...]
    resources: tuple[LocalResource, ...]
    env: Mapping[str, str]
    properties: Mapping[str, str]
    board: BoardView | None
    containers: tuple[ContainerView, ...]
    backend_containers: tuple[KnownContainer, ...]
    saves: tuple[SaveView, ...]
    attempts: tuple[AttemptView, ...]
    links: Links
    places: PlacesView
    source: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class KillAnswer:
    """Answer of ``kill``.

    Attributes
    ----------
    state : AppState
        In which the job has ended; with ``--no-wait`` the last one that was seen.
    reason : str
        Why it ended, or why it was not killed.
    killed : bool
        Whether this call ended it, or with ``--no-wait`` told it to end.
    """

    app_id: str
    state: AppState
    reason: str
    killed: bool


@dataclass(frozen=True)
class SaveAnswer:
    """Answer of ``save``: how the save stands, or ended."""

    app_id: str
    save: SaveView


@dataclass(frozen=True)
class OpenAnswer:
    """Answer of ``open``.

    Attributes
    ----------
    what : str
        ``page``, ``board``, or ``yarn``: YARN's page of an ended job.
    opened : bool
        Whether a browser was told.
    """

    app_id: str
    what: str
    url: str
    opened: bool


def summary_of(
    report: ApplicationReport, backend: str, now: float, state: AppState | None = None
) -> JobSummary:
    """The summary of a report. ``now``: seconds since 1970; ``state``: a newer one than the report's."""
    return JobSummary(
        app_id=report.app_id,
        app_name=report.name,
        app_type=report.app_type,
        user=report.user,
        queue=report.queue,
        backend=backend,
        state=state or report.state,
        attempt=report.attempt,
        submitted=report.submitted or None,
        finished=report.finished,
        seconds=duration(report, now),
        tracking_url=report.tracking_url,
    )


def status_of(standing: Standing, now: float) -> JobStatus:
    """The answer of ``status``."""
    return JobStatus(
        **vars(summary_of(standing.report, standing.backend, now, state_of(standing))),
        reason=standing.reason,
        source=standing.source,
        notes=standing.notes,
        details=standing.snapshot,
        backend_containers=tuple(standing.yarn),
    )


def duration(report: ApplicationReport, now: float) -> float | None:
    """Seconds from submission to the end, or to ``now``; None where the submission is not known."""
    if not report.submitted:
        return None
    return max(0.0, (report.finished or now) - report.submitted)
