"""Jobs with ``--local``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xlearning.client.console import Console
from xlearning.client.planning.plan import Plan
from xlearning.client.planning.resources import Shipped
from xlearning.client.problems import Problem
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.job import JobSpec

if TYPE_CHECKING:
    from xlearning.client.verbs.log_sources import LogSource

LOCAL_FS = "file://"


class OnThisMachine:
    """Jobs with ``--local``."""

    name = "local"
    default_fs = LOCAL_FS

    def __init__(self, config: Config, user: str) -> None:
        from xlearning.cluster.local import LocalCluster

        self.user = user
        self._local = LocalCluster(
            Path(config.get("xlearning.local.dir")), config.get("xlearning.local.slots")
        )
        self.cluster: ClusterClient = self._local

    def staging_root(self, config: Config, fss: FileSystems) -> str:
        """As set, else below ``xlearning.local.dir``: a folder in /tmp would belong to its first user."""
        if config.is_set("xlearning.staging.dir"):
            return fss.resolve(config.get("xlearning.staging.dir"))
        return fss.resolve(str(Path(config.get("xlearning.local.dir")).absolute() / "staging"))

    def warm_up(self) -> None:
        """Nothing takes time here."""

    def reach(self, config: Config, fss: FileSystems) -> list[Problem]:  # noqa: ARG002
        """It is."""
        return []

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands."""
        return self.cluster.report(app_id)

    def preflight(
        self, config: Config, fss: FileSystems, job: JobSpec, shipped: Sequence[Shipped], notes: list[str]
    ) -> list[Problem]:
        """Files, archives and folders."""
        from xlearning.client.preflight.machine import check

        return check(config, fss, self.user, self.staging_root(config, fss), job, shipped, notes)

    def prepare(self, plan: Plan, config: Config, fss: FileSystems, console: Console) -> None:
        """Nothing takes long here."""

    def start(
        self,
        plan: Plan,
        config: Config,
        fss: FileSystems,
        now: float,
        check: Callable[[], None],  # noqa: ARG002
    ) -> JobSpec:
        """Stage, then submit."""
        from xlearning.client.stage import refused, stage, unstage

        app_id, root = self._local.new_application_id(), self.staging_root(config, fss)
        try:
            with refused(root):
                job = stage(plan, fss, app_id=app_id, staging_root=root, now=now)
            try:
                self._local.submit(job)
            except BaseException:
                unstage(job, fss)
                raise
        except BaseException:
            self._local.discard(app_id)
            raise
        return job

    def started(self, app_id: str, config: Config, console: Console) -> None:
        """Nothing."""

    def log_source(self, app_id: str) -> LogSource:
        """Files of this machine."""
        from xlearning.client.verbs.log_sources import LocalLogs

        return LocalLogs(self.cluster, app_id)

    def describe(self, plan: Plan, config: Config, fss: FileSystems) -> str:  # noqa: ARG002
        """Nothing."""
        return ""

    def sweep(self, fss: FileSystems, console: Console) -> None:  # noqa: ARG002
        """Temporary folders of dead clients, and what supervisors that were killed have not removed."""
        from xlearning.cluster import scratch

        scratch.sweep()
        self._local.tidy()

    def tidy(self, app_id: str, fss: FileSystems, console: Console) -> None:
        """The supervisor of each application does that."""

    def close(self) -> None:
        """Nothing to give back."""
