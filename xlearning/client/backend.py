"""Where a job runs: this machine or YARN. What the two need before and at the start."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from xlearning.client.console import Console
from xlearning.client.planning.plan import Plan
from xlearning.client.planning.resources import Shipped
from xlearning.client.problems import Problem
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.config import Config
from xlearning.errors import CredentialsError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.job import JobSpec

if TYPE_CHECKING:
    from xlearning.client.preflight.cluster import ClusterPreflight
    from xlearning.client.verbs.log_sources import LogSource
    from xlearning.cluster.yarn_script import Launch, NodePackage

LOCAL_FS = "file://"


class BackEnd(Protocol):
    """A place for jobs.

    Attributes
    ----------
    cluster : ClusterClient
        For reports and kills.
    default_fs : str
        File system of paths without a scheme.
    user : str
        Who submits, as the cluster calls them.
    name : str
        ``local`` or ``yarn``.
    """

    cluster: ClusterClient
    default_fs: str
    user: str
    name: str

    def staging_root(self, config: Config, fss: FileSystems) -> str:
        """URI of the folder of all staging folders."""

    def warm_up(self) -> None:
        """Begin what takes time and will be needed."""

    def reach(self, config: Config, fss: FileSystems) -> list[Problem]:
        """Whether the back end is there at all; begins to ask what `preflight` needs. Comes first."""

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands; `ClusterUnavailable` at once where `reach` has failed."""

    def preflight(
        self, config: Config, fss: FileSystems, job: JobSpec, shipped: Sequence[Shipped], notes: list[str]
    ) -> list[Problem]:
        """What the back end would refuse; what was decided for the user goes to ``notes``."""

    def prepare(self, plan: Plan, config: Config, fss: FileSystems, console: Console) -> None:
        """What may take long and can be interrupted."""

    def start(
        self, plan: Plan, config: Config, fss: FileSystems, now: float, check: Callable[[], None]
    ) -> JobSpec:
        """Stage and submit; the job as staged. Nothing is left, or runs, when that fails.

        ``check`` is called while the answer is waited for; what it raises ends that.
        """

    def started(self, app_id: str, config: Config, console: Console) -> None:
        """What can only be asked for once the application is there. Nothing depends on it."""

    def log_source(self, app_id: str) -> LogSource:
        """Logs of a running application."""

    def describe(self, plan: Plan, config: Config, fss: FileSystems) -> str:
        """What would be submitted, for people to read; empty where the plan has said it all."""

    def sweep(self, fss: FileSystems, console: Console) -> None:
        """Remove what the back end itself left of the user's applications that have ended."""

    def tidy(self, app_id: str, fss: FileSystems, console: Console) -> None:
        """The same for one application that has just ended."""

    def close(self) -> None:
        """Give back what `warm_up` began."""


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
        """Temporary folders of dead clients; all else the supervisor of each application removes."""
        from xlearning.cluster import scratch

        scratch.sweep()

    def tidy(self, app_id: str, fss: FileSystems, console: Console) -> None:
        """The supervisor of each application does that."""

    def close(self) -> None:
        """Nothing to give back."""


class OnYarn:
    """Jobs on the cluster of ``HADOOP_CONF_DIR``.

    Parameters
    ----------
    keep : bool
        Whether the driver JVM stays after a submission, for the next one.
    refused : CredentialsError, optional
        Why there is no login: then `reach` tells it, and nothing of the cluster is asked.

    Raises
    ------
    xlearning.errors.ConfigError
        There is no usable Hadoop configuration.
    xlearning.errors.CredentialsError
        The cluster is secure, and there is no ticket or no usable keytab.
    """

    name = "yarn"

    def __init__(
        self,
        environ: MutableMapping[str, str],
        user: str,
        config: Config,
        *,
        keep: bool = False,
        refused: CredentialsError | None = None,
    ) -> None:
        from xlearning.client.secure import log_in
        from xlearning.cluster.hadoop_site import HadoopSite
        from xlearning.cluster.skein import SkeinCluster

        self._site = HadoopSite.from_environ(environ)
        self._login = None if refused else log_in(self._site, environ, config)
        self._refused = refused
        self.user = self._login.user if self._login else user
        self._skein = SkeinCluster(self._site, self.user, self._login)
        self.cluster: ClusterClient = self._skein
        self.default_fs = self._site.default_fs
        self._open = contextlib.ExitStack()
        self._keep = keep
        self._package: NodePackage | None = None
        self._preflight: ClusterPreflight | None = None
        self._job: JobSpec | None = None  # as the cluster allows it, with what was brought there

    def staging_root(self, config: Config, fss: FileSystems) -> str:
        """``xlearning.staging.dir``, on the default file system unless it says otherwise."""
        return fss.resolve(config.get("xlearning.staging.dir"))

    def warm_up(self) -> None:
        """The driver JVM takes seconds."""
        self._skein.warm_up()

    def reach(self, config: Config, fss: FileSystems) -> list[Problem]:
        """Whether there is a login, and HDFS and YARN answer."""
        from xlearning.client.preflight.cluster import ClusterPreflight

        self._preflight = ClusterPreflight(self._skein, config, fss, self.user, self._login, self._refused)
        return self._preflight.reach()

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands; `ClusterUnavailable` at once where `reach` has failed."""
        if self._preflight is not None and self._preflight.silent is not None:
            raise self._preflight.silent
        return self.cluster.report(app_id)

    def preflight(
        self, config: Config, fss: FileSystems, job: JobSpec, shipped: Sequence[Shipped], notes: list[str]
    ) -> list[Problem]:
        """What HDFS and YARN would refuse."""
        assert self._preflight is not None, "reach comes first"
        history = fss.resolve(config.get("xlearning.history.log.dir"))
        return self._preflight.check(job, shipped, self.staging_root(config, fss), history, notes)

    def prepare(self, plan: Plan, config: Config, fss: FileSystems, console: Console) -> None:
        """Upload our package for the nodes and large files of the user's, unless they are there."""
        from xlearning.client.stage import refused
        from xlearning.client.uploading.bring import bring
        from xlearning.cluster.scratch import Scratch

        job = self._fitted(plan.job, config)
        root = self.staging_root(config, fss)
        with refused(root):
            _make_shared(fss, root)
        work = self._open.enter_context(Scratch())
        brought = bring(plan.shipped, work, config, fss, root, self.user, console, self._skein.list)
        self._package = brought.package
        self._job = dataclasses.replace(job, resources=brought.resources)
        if self._skein.driver_starts:
            console.info("Starting Hadoop's client")
        self._skein.await_driver()

    def start(
        self, plan: Plan, config: Config, fss: FileSystems, now: float, check: Callable[[], None]
    ) -> JobSpec:
        """Submit, then stage under the id that YARN gave; its ApplicationMaster waits for that."""
        from xlearning.client.stage import refused, stage

        assert self._package is not None, "prepare comes first"
        root = self.staging_root(config, fss)
        plan = dataclasses.replace(plan, job=self._job or plan.job)
        launch = self._launch(plan.job, config, fss)
        app_id = self._skein.submit_archive(plan.job, self._package, launch, check)
        try:
            pair = self._skein.credentials()
            with refused(root):
                return stage(
                    plan, fss, app_id=app_id, staging_root=root, now=now, pair=pair, copy_files=False
                )
        except BaseException:
            self._skein.kill(app_id)
            raise
        finally:
            self._open.close()
            if not self._keep:
                self._skein.release_driver()

    def _fitted(self, job: JobSpec, config: Config) -> JobSpec:
        from xlearning.client.preflight.yarn import fit

        assert self._preflight is not None, "reach comes first"
        return fit(job, config, self._preflight.limits)[0]

    def started(self, app_id: str, config: Config, console: Console) -> None:
        """The priority, which skein cannot pass on."""
        from xlearning.client.preflight.yarn import prioritize

        prioritize(app_id, config, self._skein.set_priority, console)

    def log_source(self, app_id: str) -> LogSource:  # noqa: ARG002
        """The web services of the nodes."""
        from xlearning.client.verbs.log_sources import LiveLogs

        return LiveLogs()

    def describe(self, plan: Plan, config: Config, fss: FileSystems) -> str:
        """The skein specification."""
        from xlearning.cluster.yarn_script import NodePackage

        package = NodePackage(join(self.staging_root(config, fss), "PACKAGE.tar.gz"))
        job = self._fitted(plan.job, config)
        return self._skein.describe(job, package, self._launch(job, config, fss))

    def _launch(self, job: JobSpec, config: Config, fss: FileSystems) -> Launch:
        from xlearning.client.packaging.delivery import interpreter
        from xlearning.cluster.hadoop_client import client_files
        from xlearning.cluster.yarn_script import Launch

        root, python, files = self.staging_root(config, fss), interpreter(config), client_files(self._site)
        if not self._site.secure:
            return Launch(python, root, self.user, hadoop=files)
        from xlearning.client.secure import file_systems, viewers

        history = fss.resolve(config.get("xlearning.history.log.dir"))
        uris = file_systems(job, self._site.default_fs, root, history)
        seen_by = viewers(config, self.user, self._skein.asks_who)
        return Launch(python, root, "", uris, seen_by, files)

    def sweep(self, fss: FileSystems, console: Console) -> None:
        """Folders of skein's whose ApplicationMaster never came to delete them, and of dead clients here."""
        from xlearning.client.skein_remains import sweep
        from xlearning.client.uploading.here import sweep_here

        sweep(fss, self.cluster, console, self._skein.began)
        sweep_here(os.environ, time.time())

    def tidy(self, app_id: str, fss: FileSystems, console: Console) -> None:
        """The folder of skein's."""
        from xlearning.client.skein_remains import remove

        remove(app_id, fss, console)

    def close(self) -> None:
        """End the driver JVM, and remove what was made for the submission."""
        self._skein.close()
        self._open.close()


def _make_shared(fss: FileSystems, root: str) -> None:
    """The folder of all staging folders, for all users, as /tmp is."""
    fs = fss.of(root)
    try:
        fs.stat(root)
    except FileNotFoundError:
        fs.mkdirs(root, mode=0o1777)
