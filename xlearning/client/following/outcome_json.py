"""How a job ended, for a program: what ``--format json`` writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xlearning.client.following.epilogue import first_failure
from xlearning.client.verbs.status_text import summary_json
from xlearning.cluster.base import ApplicationReport
from xlearning.job import AppState, JobSpec, Snapshot, to_dict


def outcome(
    job: JobSpec,
    report: ApplicationReport,
    snapshot: Snapshot | None,
    *,
    where: str,
    now: float,
    outputs: Iterable[str] = (),
) -> dict[str, Any]:
    """One document; times are seconds since 1970, ``containers`` are as in ``api/v1/job``.

    Parameters
    ----------
    report : ApplicationReport
        The last one; of an application that goes on where nobody followed it.
    outputs : iterable of str
        Folders that were published.

    Returns
    -------
    dict
        ``exit_code`` is the program's: 0 where the job has succeeded, else that of the container that
        failed first, which is ``failed``.
    """
    failed = first_failure(snapshot)
    good = report.state is AppState.SUCCEEDED
    recorded = snapshot.reason if snapshot else ""
    return {
        **summary_json(report, where, now),
        "type": job.app_type,
        "submitted": job.submitted or report.submitted or None,
        "reason": "" if good else report.diagnostics.strip() or recorded.strip(),
        "exit_code": 0 if good else failed.exit_code if failed else None,
        "failed": failed.id if failed else None,
        "outputs": list(outputs),
        "page": snapshot.page_url if snapshot else "",
        "containers": [to_dict(one) for one in snapshot.containers] if snapshot else [],
    }
