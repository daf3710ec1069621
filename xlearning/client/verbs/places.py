"""Where the job may be that a verb is about: this machine, or YARN. Built without asking anybody."""

from __future__ import annotations

import os
from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Protocol

from xlearning.client.back_ends.base import BackEnd
from xlearning.client.back_ends.this_machine import LOCAL_FS
from xlearning.client.back_ends.yarn import OnYarn
from xlearning.client.console import Console
from xlearning.cluster.base import ApplicationReport, ClusterClient, KnownContainer
from xlearning.cluster.local import LocalCluster
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound, ClusterUnavailable, ConfigError, XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.history.reader import HistoryReader


class Place(Protocol):
    """One back end as the verbs see it.

    Attributes
    ----------
    name : str
        ``local`` or ``yarn``.
    title : str
        ``this machine`` or ``YARN``.
    cluster : ClusterClient
    fss : FileSystems
    user : str
        Who asks, as this place calls them.
    trouble : str
        Why the last report is one from the history; empty where it is not.
    """

    name: str
    title: str
    cluster: ClusterClient
    fss: FileSystems
    user: str
    trouble: str

    def jobs(self, user: str, *, everybody: bool = False) -> Sequence[ApplicationReport]:
        """Jobs of a user, or of everybody, newest first."""

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands; `ApplicationNotFound` where this place does not know it."""

    def staging(self, app_id: str) -> str:
        """URI of its staging folder, whether that is still there or not."""

    def history(self, app_id: str) -> str:
        """URI of its history folder, likewise."""

    def folder(self, app_id: str) -> str:
        """URI of what the back end itself keeps of it on this machine; empty where it keeps nothing here."""

    def page(self, app_id: str) -> str:
        """Address of the back end's own page of it; empty where it has none."""

    def tidy(self, app_id: str, console: Console) -> None:
        """Remove what the back end itself left of an application that has ended."""

    def close(self) -> None:
        """End what was started to ask."""


class LocalPlace:
    """Jobs of this machine."""

    name, title = "local", "this machine"

    def __init__(self, config: Config, user: str, warn: Callable[[str], None] | None = None) -> None:
        self._config, self.user, self.trouble = config, user, ""
        self._local = LocalCluster(Path(config.get("xlearning.local.dir")), warn=warn)
        self.cluster: ClusterClient = self._local
        self.fss = FileSystems(LOCAL_FS, timeout=config.get("xlearning.fs.timeout"), config=config)

    def jobs(self, user: str, *, everybody: bool = False) -> Sequence[ApplicationReport]:
        """See `Place`. All are the user's own, whatever name they were submitted under."""
        everybody = everybody or user == self.user
        return [one for one in self._local.list() if everybody or one.user == user]

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

    def folder(self, app_id: str) -> str:
        """See `Place`."""
        return self._local.folder(app_id).as_uri()

    def page(self, app_id: str) -> str:  # noqa: ARG002
        """Nothing."""
        return ""

    def containers(self, app_id: str) -> Sequence[KnownContainer]:
        """What is left of its containers."""
        return self._local.containers(app_id)

    def tidy(self, app_id: str, console: Console) -> None:
        """The supervisor does that."""

    def close(self) -> None:
        """Nothing was started."""


class YarnPlace:
    """Jobs on the cluster of ``HADOOP_CONF_DIR``.

    Parameters
    ----------
    back_end : BackEnd, optional
        YARN as somebody else has set it up, and will close it.

    Raises
    ------
    xlearning.errors.ConfigError
        There is no usable Hadoop configuration.
    xlearning.errors.CredentialsError
        The cluster is secure, and there is no ticket or no usable keytab.
    """

    name, title = "yarn", "YARN"

    def __init__(
        self,
        config: Config,
        environ: MutableMapping[str, str],
        user: str,
        back_end: BackEnd | None = None,
    ) -> None:
        from xlearning.cluster.hadoop_site import HadoopSite
        from xlearning.cluster.resource_manager import ResourceManagerWeb

        self._config = config
        self._back_end = back_end or OnYarn(environ, user, config)
        self._own = back_end is None
        self.user, self.trouble = self._back_end.user, ""
        self.cluster: ClusterClient = self._back_end.cluster
        self.web = ResourceManagerWeb(HadoopSite.from_environ(environ))
        self.fss = FileSystems(
            self._back_end.default_fs,
            timeout=config.get("xlearning.fs.timeout"),
            user=self.user,
            config=config,
        )

    def jobs(self, user: str, *, everybody: bool = False) -> Sequence[ApplicationReport]:
        """See `Place`."""
        return self.web.list(None if everybody else user)

    def report(self, app_id: str) -> ApplicationReport:
        """See `Place`. What YARN has forgotten, or does not tell at the moment, is in the history."""
        try:
            return self.cluster.report(app_id)
        except (ApplicationNotFound, ClusterUnavailable) as error:
            try:
                found = HistoryReader(self.fss).believed(self.history(app_id), app_id)
            except (XLearningError, OSError):
                found = None
            forgotten = isinstance(error, ApplicationNotFound)
            if found is None or (forgotten and not found.state.final):
                raise
            self.trouble = "" if forgotten else error.message
            return ApplicationReport.of(found)

    def staging(self, app_id: str) -> str:
        """See `Place`."""
        return join(self._back_end.staging_root(self._config, self.fss), app_id)

    def history(self, app_id: str) -> str:
        """See `Place`."""
        return join(self.fss.resolve(self._config.get("xlearning.history.log.dir")), app_id)

    def folder(self, app_id: str) -> str:  # noqa: ARG002
        """Nothing."""
        return ""

    def page(self, app_id: str) -> str:
        """See `Place`."""
        return self.web.page(app_id)

    def tidy(self, app_id: str, console: Console) -> None:
        """See `Place`."""
        self._back_end.tidy(app_id, self.fss, console)

    def close(self) -> None:
        """End the driver JVM, if one was needed and nobody else uses it."""
        if self._own:
            self._back_end.close()


class Places:
    """The places that a verb looks at. YARN is set up only when it is needed.

    Parameters
    ----------
    only_local : bool
        Whether ``--local`` was given.
    warn : callable, optional
        Told of jobs that are left out because their records are damaged.
    """

    def __init__(
        self,
        config: Config,
        user: str,
        *,
        only_local: bool,
        environ: MutableMapping[str, str] = os.environ,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self.config, self._user, self._environ = config, user, environ
        self.only_local = only_local
        self.local: Place = LocalPlace(config, user, warn)
        self._yarn: Place | None = None

    def yarn(self) -> Place:
        """YARN; `ConfigError` where no usable configuration tells where it is."""
        self._yarn = self._yarn or YarnPlace(self.config, self._environ, self._user)
        return self._yarn

    def all(self) -> Sequence[Place]:
        """Every place where the user may have jobs.

        Raises
        ------
        ConfigError
            A Hadoop configuration is named that cannot be used.
        CredentialsError
            The cluster wants a login, and there is none.
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
