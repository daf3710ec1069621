"""An application that another process has submitted, as following needs it."""

from __future__ import annotations

from xlearning.client.following.venue import Venue
from xlearning.client.sweep import staged_job
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.log_sources import live_source
from xlearning.client.verbs.standing import standing
from xlearning.config import Config
from xlearning.errors import ClusterError, StorageError
from xlearning.job import JobSpec


def venue_at(found: Found, config: Config) -> Venue:
    """The place of an application that was found."""
    place = found.place
    return Venue(
        name=place.name,
        user=place.user,
        cluster=place.cluster,
        fss=place.fss,
        config=config,
        tidy=place.tidy,
        log_source=lambda app_id: live_source(place, app_id),
        recorded=lambda report: standing(Found(report, place)).snapshot,
        owner=found.report.user,
    )


def spec_of(found: Found) -> JobSpec:
    """The job as it was staged, or as far as its report tells: then without roles."""
    staging = _staging(found)
    staged = staged_job(staging, found.place.fss, found.report.user) if staging else None
    return staged or _stub(found, staging)


def _staging(found: Found) -> str:
    try:
        return found.place.staging(found.app_id)
    except (ClusterError, StorageError, OSError):
        return ""


def _stub(found: Found, staging: str) -> JobSpec:
    report = found.report
    return JobSpec(
        app_id=report.app_id,
        app_name=report.name,
        app_type=report.app_type,
        user=report.user,
        command=(),
        roles=(),
        staging=staging,
        default_fs="",
        submitted=report.submitted,
    )
