"""Jobs on YARN."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Callable, MutableMapping, Sequence
from typing import TYPE_CHECKING

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
        brought = bring(
            plan.shipped, work, config, fss, root, self.user, console, self._skein.list, plan.libraries
        )
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
        from xlearning.cluster.base import needs_tls
        from xlearning.cluster.hadoop_client import client_files
        from xlearning.cluster.yarn_script import Launch

        root, python, files = self.staging_root(config, fss), interpreter(config), client_files(self._site)
        tls = needs_tls(job)
        if not self._site.secure:
            return Launch(python, root, self.user, hadoop=files, tls=tls)
        from xlearning.client.secure import file_systems, viewers

        history = fss.resolve(config.get("xlearning.history.log.dir"))
        uris = file_systems(job, self._site.default_fs, root, history)
        seen_by = viewers(config, self.user, self._skein.asks_who)
        return Launch(python, root, "", uris, seen_by, files, tls)

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
