"""Where the logs of a job are: files of this machine, its nodes while it runs, YARN's store afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.log_choice import LogTarget
from xlearning.client.verbs.places import Place, YarnPlace
from xlearning.cluster.aggregated_logs import AggregatedLogs
from xlearning.cluster.base import ClusterClient
from xlearning.cluster.node_logs import NodeLogs
from xlearning.cluster.yarn_details import aggregation
from xlearning.errors import ClusterError

_SOON = ("NOT_START", "RUNNING", "RUNNING_WITH_FAILURE")


class NoSuchLogs(ClusterError):
    """YARN has gathered all logs, and those that were asked for are not among them."""


class LogSource(Protocol):
    """Logs by container and name."""

    def sizes(self, target: LogTarget) -> Mapping[str, int]:
        """Name -> bytes; nothing where this source does not have the container."""

    def read(self, target: LogTarget, name: str, start: int) -> Iterator[bytes]:
        """A log from byte ``start`` on, as far as it is written."""

    def close(self) -> None:
        """Give back what was needed."""


class LocalLogs:
    """Files of this machine."""

    def __init__(self, cluster: ClusterClient, app_id: str) -> None:
        self._cluster, self._app_id = cluster, app_id

    def sizes(self, target: LogTarget) -> Mapping[str, int]:
        """See `LogSource`."""
        return {name: path.stat().st_size for name, path in self._files(target).items() if path.exists()}

    def read(self, target: LogTarget, name: str, start: int) -> Iterator[bytes]:
        """See `LogSource`."""
        with open(self._files(target)[name], "rb") as file:
            file.seek(start)
            while data := file.read(1 << 16):
                yield data

    def close(self) -> None:
        """Nothing was needed."""

    def _files(self, target: LogTarget) -> dict[str, Path]:
        try:
            found = self._cluster.logs(self._app_id, target.id)
        except ClusterError:  # it has not started yet
            return {}
        return {name: Path(path) for name, path in found.items()}


class LiveLogs:
    """The web services of the nodes."""

    def __init__(self) -> None:
        self._nodes: dict[str, NodeLogs] = {}

    def sizes(self, target: LogTarget) -> Mapping[str, int]:
        """See `LogSource`; `ClusterUnavailable` where the node does not answer."""
        return self._node(target).sizes(target.id) if target.web else {}

    def read(self, target: LogTarget, name: str, start: int) -> Iterator[bytes]:
        """See `LogSource`; `ClusterUnavailable` where the node does not answer."""
        return self._node(target).read(target.id, name, start)

    def close(self) -> None:
        """Nothing was needed."""

    def _node(self, target: LogTarget) -> NodeLogs:
        return self._nodes.setdefault(target.web, NodeLogs(target.web))


class GatheredLogs:
    """What YARN has gathered, brought here."""

    def __init__(self, logs: AggregatedLogs) -> None:
        self._logs = logs

    def sizes(self, target: LogTarget) -> Mapping[str, int]:
        """See `LogSource`."""
        return self._logs.sizes(target.id)

    def read(self, target: LogTarget, name: str, start: int) -> Iterator[bytes]:
        """See `LogSource`."""
        return self._logs.read(target.id, name, start)

    def close(self) -> None:
        """Delete what was brought here."""
        self._logs.close()


def live_source(place: Place, app_id: str) -> LogSource:
    """The logs of an application while it runs."""
    return LiveLogs() if isinstance(place, YarnPlace) else LocalLogs(place.cluster, app_id)


def log_source(found: Found, targets: Sequence[LogTarget], files: Sequence[str]) -> LogSource:
    """Where the logs of ``targets`` can be read now.

    Parameters
    ----------
    files : sequence of str
        Names of the files that are meant; all when it is empty.

    Raises
    ------
    ClusterError
        They are not to be had; the message says why, and where they are otherwise.
    """
    if not isinstance(found.place, YarnPlace):
        return LocalLogs(found.place.cluster, found.app_id)
    if not found.report.state.final:
        return LiveLogs()
    progress = _aggregation(found)
    if progress in ("DISABLED", *_SOON) and _on_nodes(targets):
        return LiveLogs()
    if progress == "DISABLED":
        raise _not_gathered(targets)
    gathered = AggregatedLogs(found.app_id, found.report.user)
    try:
        if gathered.fetch([one.id for one in targets], files):
            return GatheredLogs(gathered)
    except BaseException:
        gathered.close()
        raise
    gathered.close()
    raise _missing(found.app_id, progress)


def _aggregation(found: Found) -> str:
    """How far YARN is with the logs; empty where it has forgotten the job or does not tell."""
    assert isinstance(found.place, YarnPlace)
    try:
        return aggregation(found.place.web, found.app_id)
    except (ClusterError, FileNotFoundError):
        return ""


def _on_nodes(targets: Sequence[LogTarget]) -> bool:
    live = LiveLogs()
    try:
        return any(live.sizes(target) for target in targets)
    except ClusterError:
        return False


def _not_gathered(targets: Sequence[LogTarget]) -> ClusterError:
    hosts = sorted({one.web.partition("://")[2].rpartition(":")[0] for one in targets if one.web})
    where = f"of {', '.join(hosts)}" if hosts else "of the nodes"
    return ClusterError(
        "this cluster does not gather logs (yarn.log-aggregation-enable is false)",
        hint=f"for some hours they are in the folders yarn.nodemanager.log-dirs {where}; "
        "xl-submit logs --follow shows them while a job runs",
    )


def _missing(app_id: str, progress: str) -> ClusterError:
    if progress in _SOON:
        return ClusterError(f"YARN is still gathering the logs of {app_id}", hint="try again in some seconds")
    told = f" (log aggregation: {progress})" if progress else ""
    return NoSuchLogs(
        f"YARN has no such logs of {app_id}{told}",
        hint="the files may have other names, or be older than yarn.log-aggregation.retain-seconds",
    )
