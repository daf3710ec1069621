"""How a job ended, for a program: what ``--format json`` writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from xlearning.client.following.epilogue import first_failure
from xlearning.client.verbs.records import JobSummary, summary_of
from xlearning.cluster.base import ApplicationReport
from xlearning.job import AppState, ContainerView, JobSpec, Snapshot


@dataclass(frozen=True)
class SubmitAnswer(JobSummary):
    """Answer of a submission: how the job ended, or stands where it was left.

    Attributes
    ----------
    reason : str
        Why it failed or was killed; else empty.
    exit_code : int or None
        0 where it has succeeded, else that of the program that failed first.
    failed : str or None
        The container of that program.
    published : tuple of str
        URIs of the folders that were published.
    page_url : str
        Its page, while it ran.
    """

    reason: str
    exit_code: int | None
    failed: str | None
    published: tuple[str, ...]
    page_url: str
    containers: tuple[ContainerView, ...]


def outcome(
    job: JobSpec,
    report: ApplicationReport,
    snapshot: Snapshot | None,
    *,
    backend: str,
    now: float,
    published: Iterable[str] = (),
) -> SubmitAnswer:
    """The answer.

    Parameters
    ----------
    report : ApplicationReport
        The last one; of an application that goes on where nobody followed it.
    now : float
        Seconds since 1970.
    published : iterable of str
        Folders that were published.
    """
    failed = first_failure(snapshot)
    good = report.state is AppState.SUCCEEDED
    recorded = snapshot.reason if snapshot else ""
    known = replace(report, app_type=job.app_type, submitted=job.submitted or report.submitted)
    return SubmitAnswer(
        **vars(summary_of(known, backend, now)),
        reason="" if good else report.diagnostics.strip() or recorded.strip(),
        exit_code=0 if good else failed.exit_code if failed else None,
        failed=failed.id if failed else None,
        published=tuple(published),
        page_url=snapshot.page_url if snapshot else "",
        containers=snapshot.containers if snapshot else (),
    )
