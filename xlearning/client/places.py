"""Where the job may be that a verb is about: this machine, or YARN. Built without asking anybody."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from xlearning.client.backend import LOCAL_FS
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.cluster.local import LocalCluster
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound, ConfigError, XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.history.store import HistoryReader
from xlearning.job import Snapshot


class Place(Protocol):
    """One back end as the verbs see it.

    Attributes
    ----------
    title : str
        ``this machine`` or ``YARN``.
    cluster : ClusterClient
    fss : FileSystems
    """

    title: str
    cluster: ClusterClient
    fss: FileSystems

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands; `ApplicationNotFound` where this place does not know it."""

    def staging(self, app_id: str) -> str:
        """URI of its staging folder, whether that is still there or not."""

    def history(self, app_id: str) -> str:
        """URI of its history folder, likewise."""

    def close(self) -> None:
        """End what was started to ask."""


class LocalPlace:
    """Jobs of this machine."""

    title = "this machine"

    def __init__(self, config: Config) -> None:
        self._config = config
        self._local = LocalCluster(Path(config.get("xlearning.local.dir")))
        self.cluster: ClusterClient = self._local
        self.fss = FileSystems(LOCAL_FS, timeout=config.get("xlearning.fs.timeout"))

    def report(self, app_id: str) -> ApplicationReport:
        """See `Place`."""
        return self._local.report(app_id)

    def staging(self, app_id: str) -> str:
        """See `Place`; the job itself tells."""
        return self._local.staging(app_id)

    def history(self, app_id: str) -> str:
        """See `Place`."""
        if self._config.is_set("xlearning.history.log.dir"):
            root = self.fss.resolve(self._config.get("xlearning.history.log.dir"))
        else:
            root = (Path(self._config.get("xlearning.local.dir")).absolute() / "history").as_uri()
        return join(root, app_id)

    def close(self) -> None:
        """Nothing was started."""


class YarnPlace:
    """Jobs on the cluster of ``HADOOP_CONF_DIR``.

    Raises
    ------
    xlearning.errors.ConfigError
        There is no usable Hadoop configuration.
    """

    title = "YARN"

    def __init__(self, config: Config, environ: Mapping[str, str], user: str) -> None:
        from xlearning.cluster.hadoop_site import HadoopSite
        from xlearning.cluster.resource_manager import ResourceManagerWeb
        from xlearning.cluster.skein import SkeinCluster

        self._config = config
        site = HadoopSite.from_environ(environ)
        self._skein = SkeinCluster(site, user)
        self.cluster: ClusterClient = self._skein
        self.web = ResourceManagerWeb(site)
        self.fss = FileSystems(site.default_fs, timeout=config.get("xlearning.fs.timeout"))

    def report(self, app_id: str) -> ApplicationReport:
        """See `Place`. What YARN has forgotten is looked up in the history."""
        try:
            return self.cluster.report(app_id)
        except ApplicationNotFound:
            try:
                found = HistoryReader(self.fss).snapshot(self.history(app_id))
            except (XLearningError, OSError):
                found = None
            if found is None or not found.state.final:
                raise
            return report_of(found)

    def staging(self, app_id: str) -> str:
        """See `Place`."""
        return join(self.fss.resolve(self._config.get("xlearning.staging.dir")), app_id)

    def history(self, app_id: str) -> str:
        """See `Place`."""
        return join(self.fss.resolve(self._config.get("xlearning.history.log.dir")), app_id)

    def close(self) -> None:
        """End the driver JVM, if one was needed."""
        self._skein.close()


class Places:
    """The places that a verb looks at. YARN is set up only when it is needed.

    Parameters
    ----------
    only_local : bool
        Whether ``--local`` was given.
    """

    def __init__(
        self, config: Config, user: str, *, only_local: bool, environ: Mapping[str, str] = os.environ
    ) -> None:
        self._config, self._user, self._environ = config, user, environ
        self.only_local = only_local
        self.local: Place = LocalPlace(config)
        self._yarn: Place | None = None

    def yarn(self) -> Place:
        """YARN; `ConfigError` where no usable configuration tells where it is."""
        self._yarn = self._yarn or YarnPlace(self._config, self._environ, self._user)
        return self._yarn

    def all(self) -> Sequence[Place]:
        """Every place where the user may have jobs.

        Raises
        ------
        ConfigError
            A Hadoop configuration is named that cannot be used.
        """
        if self.only_local:
            return [self.local]
        try:
            return [self.local, self.yarn()]
        except ConfigError:
            if self._environ.get("HADOOP_CONF_DIR") or self._environ.get("YARN_CONF_DIR"):
                raise
            return [self.local]

    def close(self) -> None:
        """End what was started to ask."""
        for place in (self.local, self._yarn):
            if place is not None:
                place.close()


def report_of(snapshot: Snapshot) -> ApplicationReport:
    """The report of an application of which only its last snapshot is left."""
    return ApplicationReport(
        app_id=snapshot.app_id,
        name=snapshot.app_name,
        user=snapshot.user,
        state=snapshot.state,
        diagnostics=snapshot.reason,
        attempt=snapshot.attempt,
        submitted=snapshot.submitted,
        finished=snapshot.finished,
        app_type=snapshot.app_type,
    )
