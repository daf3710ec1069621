"""How a job ended, for a program: what ``--format json`` writes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from xlearning.client.following.epilogue import first_failure
from xlearning.client.verbs.records import Outcome, summary_of
from xlearning.cluster.base import ApplicationReport
from xlearning.job import AppState, JobSpec, Snapshot


def outcome(
    job: JobSpec,
    report: ApplicationReport,
    snapshot: Snapshot | None,
    *,
    backend: str,
    now: float,
    outputs: Iterable[str] = (),
) -> Outcome:
    """The answer of a submission.

    Parameters
    ----------
    report : ApplicationReport
        The last one; of an application that goes on where nobody followed it.
    backend : str
        ``local`` or ``yarn``.
    outputs : iterable of str
        Folders that were published.
    """
    failed = first_failure(snapshot)
    good = report.state is AppState.SUCCEEDED
    recorded = snapshot.reason if snapshot else ""
    known = dataclasses.replace(report, app_type=job.app_type, submitted=job.submitted or report.submitted)
    return Outcome(
        **vars(summary_of(known, backend, now)),
        reason="" if good else report.diagnostics.strip() or recorded.strip(),
        exit_code=0 if good else failed.exit_code if failed else None,
        failed=failed.id if failed and not good else None,
        outputs=tuple(outputs),
        page=snapshot.page_url if snapshot else "",
        containers=tuple(snapshot.containers) if snapshot else (),
    )
