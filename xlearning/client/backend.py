"""Where a job runs: this machine or YARN. What the two need before and at the start."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from xlearning.client.console import Console
from xlearning.client.plan import Plan
from xlearning.cluster.base import ClusterClient
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.job import JobSpec
from xlearning.units import format_bytes

LOCAL_FS = "file://"


class BackEnd(Protocol):
    """A place for jobs.

    Attributes
    ----------
    cluster : ClusterClient
        For reports and kills.
    default_fs : str
        File system of paths without a scheme.
    """

    cluster: ClusterClient
    default_fs: str

    def staging_root(self, config: Config, fss: FileSystems) -> str:
        """URI of the folder of all staging folders."""

    def warm_up(self) -> None:
        """Begin what takes time and will be needed."""

    def prepare(self, plan: Plan, config: Config, fss: FileSystems, console: Console) -> None:
        """What may take long and can be interrupted."""

    def start(self, plan: Plan, config: Config, fss: FileSystems, now: float) -> JobSpec:
        """Stage and submit; the job as staged. Nothing is left when that fails."""

    def close(self) -> None:
        """Give back what `warm_up` began."""


class OnThisMachine:
    """Jobs with ``--local``."""

    default_fs = LOCAL_FS

    def __init__(self, config: Config) -> None:
        from xlearning.cluster.local import LocalCluster

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

    def prepare(self, plan: Plan, config: Config, fss: FileSystems, console: Console) -> None:
        """Nothing takes long here."""

    def start(self, plan: Plan, config: Config, fss: FileSystems, now: float) -> JobSpec:
        """Stage, then submit."""
        from xlearning.client.stage import stage, unstage

        app_id, root = self._local.new_application_id(), self.staging_root(config, fss)
        job = stage(plan, fss, app_id=app_id, staging_root=root, now=now)
        try:
            self._local.submit(job)
        except BaseException:
            unstage(job, fss)
            raise
        return job

    def close(self) -> None:
        """Nothing to give back."""


class OnYarn:
    """Jobs on the cluster of ``HADOOP_CONF_DIR``.

    Raises
    ------
    xlearning.errors.ConfigError
        There is no usable Hadoop configuration.
    """

    def __init__(self, environ: Mapping[str, str], user: str) -> None:
        from xlearning.cluster.hadoop_site import HadoopSite
        from xlearning.cluster.skein import SkeinCluster

        self._site = HadoopSite.from_environ(environ)
        self._user = user
        self._skein = SkeinCluster(self._site, user)
        self.cluster: ClusterClient = self._skein
        self.default_fs = self._site.default_fs
        self._archive = ""

    def staging_root(self, config: Config, fss: FileSystems) -> str:
        """``xlearning.staging.dir``, on the default file system unless it says otherwise."""
        return fss.resolve(config.get("xlearning.staging.dir"))

    def warm_up(self) -> None:
        """The driver JVM takes seconds."""
        self._skein.warm_up()

    def prepare(self, plan: Plan, config: Config, fss: FileSystems, console: Console) -> None:  # noqa: ARG002
        """Upload our package for the nodes, unless it is there."""
        from xlearning.client.package import ship

        self._skein.check_reachable()
        if config.is_set("xlearning.app.priority"):
            console.warn("xlearning.app.priority has no effect: skein cannot pass it to YARN")
        root = self.staging_root(config, fss)
        _make_shared(fss, root)
        sent = ship(fss, root, self._user)
        self._archive = sent.uri
        self._skein.await_driver()
        did = "uploaded" if sent.uploaded else "already there, nothing uploaded"
        console.info(f"Package for the nodes: {format_bytes(sent.size)}, {did} ({sent.uri})")

    def start(self, plan: Plan, config: Config, fss: FileSystems, now: float) -> JobSpec:
        """Submit, then stage under the id that YARN gave; its ApplicationMaster waits for that."""
        from xlearning.client.stage import stage
        from xlearning.cluster.yarn_script import Launch

        root = self.staging_root(config, fss)
        python = config.get("xlearning.python") or os.path.realpath(sys.executable)
        user = "" if self._site.secure else self._user
        app_id = self._skein.submit_archive(plan.job, self._archive, Launch(python, root, user))
        try:
            pair = self._skein.credentials()
            return stage(plan, fss, app_id=app_id, staging_root=root, now=now, pair=pair, copy_files=False)
        except BaseException:
            self._skein.kill(app_id)
            raise
        finally:
            self._skein.retire()

    def close(self) -> None:
        """End the driver JVM."""
        self._skein.close()


def _make_shared(fss: FileSystems, root: str) -> None:
    """The folder of all staging folders, for all users, as /tmp is."""
    fs = fss.of(root)
    try:
        fs.stat(root)
    except FileNotFoundError:
        fs.mkdirs(root, mode=0o1777)
