"""What is done and looked up when an application has ended: putting in order, published files, logs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xlearning.client.console import Console
from xlearning.client.following.epilogue import epilogue, first_failure
from xlearning.client.following.exits import NODES, THIS_MACHINE
from xlearning.client.following.follow import Ending
from xlearning.client.following.venue import Venue
from xlearning.client.settings import interpreter_of
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.config import Config
from xlearning.errors import ClusterError, StorageError
from xlearning.fs import FileSystems
from xlearning.fs.intent import SUCCESS, is_save
from xlearning.job import AppState, ContainerState, JobSpec, Snapshot

_SHOWN = 8  # entries of an output folder that are named
_SAVES = "xlearning.interresult.dir"


@dataclass(frozen=True)
class Outcome:
    """How an application ended.

    Attributes
    ----------
    snapshot : Snapshot or None
        The last one that was seen, or else recorded.
    published : mapping
        Output folder -> names in it, see `published`.
    lines : tuple of str
        The last words about it.
    """

    report: ApplicationReport
    snapshot: Snapshot | None
    published: Mapping[str, Sequence[str]]
    lines: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether it succeeded."""
        return self.report.state is AppState.SUCCEEDED


def conclude(job: JobSpec, ending: Ending, venue: Venue, console: Console) -> Outcome:
    """Put in order what an application of the user left, and find out what is worth telling of its end.

    What an application of somebody else left is not touched.
    """
    from xlearning.client.sweep import settle_quietly, was_committed

    report, cluster, fss = ending.report, venue.cluster, venue.fss
    snapshot = ending.snapshot or venue.recorded(report)
    job = dataclasses.replace(job, outputs=job.outputs or (snapshot.outputs if snapshot else ()))
    if job.user == venue.user and not ending.goes_on:
        if settle_quietly(job, fss, console, late=_late(venue, snapshot)):
            # a commit begins when everything has succeeded and is uploaded: now the output is whole
            report = dataclasses.replace(report, state=AppState.SUCCEEDED)
        venue.tidy(job.app_id, console)
    if report.state is not AppState.SUCCEEDED and not ending.goes_on and was_committed(job, fss):
        # whoever ended it came too late, or another client has completed its commit
        report = dataclasses.replace(report, state=AppState.SUCCEEDED)
    good = report.state is AppState.SUCCEEDED
    failed = first_failure(snapshot)
    untroubled = good or (report.state is AppState.KILLED and failed is None)
    found = all_logs(cluster, report, snapshot) if untroubled else None
    shown = published(job, fss, saves_of(job, venue.config)) if good else {}
    lines = epilogue(
        report,
        snapshot,
        logs=logs(cluster, report, failed.id if failed else "") if found is None else found,
        published=shown,
        python=interpreter_of(venue.config),
        where=THIS_MACHINE if venue.name == "local" else NODES,
    )
    return Outcome(report, snapshot, shown, tuple(lines))


def _late(venue: Venue, snapshot: Snapshot | None) -> float:
    """Seconds for which uploads may go on."""
    from xlearning.client.sweep import LATE

    if venue.name == "local" or snapshot is None or snapshot.state.final:
        return 0.0
    moving = any(c.transfer is not None and c.transfer.what != "input" for c in snapshot.containers)
    uploading = any(c.state is ContainerState.UPLOADING for c in snapshot.containers)
    return LATE if moving or uploading else 0.0


def published(job: JobSpec, fss: FileSystems, saves: str) -> dict[str, Sequence[str]]:
    """Output folder -> names in it, the first few; a folder that cannot be listed says why.

    Parameters
    ----------
    saves : str
        How the names of folders with saved models begin, which are not what the job published.
    """
    found: dict[str, Sequence[str]] = {}
    for remote in dict.fromkeys(spec.remote for spec in job.outputs):
        try:
            children = fss.of(remote).list(remote)
        except (StorageError, OSError) as error:
            found[remote] = [f"(cannot be listed now: {error})"]
            continue
        names = [
            child.name + ("/" if child.is_dir else "")
            for child in children
            if child.name != SUCCESS and not (child.is_dir and is_save(child.name, saves))
        ]
        more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
        found[remote] = [*names[:_SHOWN], *more]
    return found


def saves_of(job: JobSpec, config: Config) -> str:
    """How the names of folders with saved models begin that lie in the job's outputs."""
    prefix = job.properties.get(_SAVES) or str(config.get(_SAVES))
    return prefix.strip("/")


def logs(cluster: ClusterClient, report: ApplicationReport, container_id: str) -> Mapping[str, str]:
    """Log name -> place of one container, of the ApplicationMaster when ``container_id`` is empty."""
    target = container_id or _am_container(report)
    try:
        return cluster.logs(report.app_id, target) if target else {}
    except (ClusterError, OSError) as error:
        return {target: f"cannot be found: {error}"}


def all_logs(
    cluster: ClusterClient, report: ApplicationReport, snapshot: Snapshot | None
) -> Mapping[str, str]:
    """Log name -> pattern of its place in all containers, of the program's own two."""
    if snapshot is None or not snapshot.containers:
        return {}
    one = snapshot.containers[0].id
    places = logs(cluster, report, one)
    return {name: places[name].replace(one, "*") for name in ("stdout", "stderr") if name in places}


def _am_container(report: ApplicationReport) -> str:
    """The first container of an attempt is its ApplicationMaster."""
    if report.attempt < 1:
        return ""
    suffix = report.app_id.removeprefix("application_")
    return f"container_{suffix}_{report.attempt:02d}_000001"
