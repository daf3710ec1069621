"""Optional libraries that a job needs, which its containers get from the gateway."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.client.planning.inputs import Listing
from xlearning.client.problems import Problem
from xlearning.errors import UsageError
from xlearning.formats import libraries
from xlearning.formats.needs import of_job
from xlearning.job import JobSpec


def needed(job: JobSpec, listings: Sequence[Listing], problems: list[Problem]) -> tuple[str, ...]:
    """Packages for the nodes; those that are not installed here are a problem."""
    needs = of_job(job, (file.path for listing in listings for file in listing.files))
    try:
        libraries.check(needs.required)
    except UsageError as error:
        if not any(problem.message == error.message for problem in problems):
            problems.append(Problem(error.message, error.hint or ""))
    return needs.names()
