"""What is looked up when an application has ended: its published files, its logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.errors import ClusterError, StorageError
from xlearning.fs import FileSystems
from xlearning.job import JobSpec, Snapshot

_SHOWN = 8  # entries of an output folder that are named
_MARKER = "_SUCCESS"


def published(job: JobSpec, fss: FileSystems) -> dict[str, Sequence[str]]:
    """Output folder -> names in it, the first few; a folder that cannot be listed says why."""
    found: dict[str, Sequence[str]] = {}
    for remote in dict.fromkeys(spec.remote for spec in job.outputs):
        try:
            children = fss.of(remote).list(remote)
        except (StorageError, OSError) as error:
            found[remote] = [f"(cannot be listed now: {error})"]
            continue
        names = [child.name + ("/" if child.is_dir else "") for child in children if child.name != _MARKER]
        more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
        found[remote] = [*names[:_SHOWN], *more]
    return found


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
