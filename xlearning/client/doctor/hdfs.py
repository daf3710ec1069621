"""HDFS as jobs use it: the user's home, staging, history, and a file that goes there and back."""

from __future__ import annotations

import time

from xlearning.client.doctor import machine
from xlearning.client.doctor.hadoop import Cluster
from xlearning.client.doctor.model import Finding, ok, problem, warning
from xlearning.client.doctor.trip import round_trip
from xlearning.client.preflight.folders import check_home
from xlearning.client.problems import Problem
from xlearning.fs import FileSystems, exists, join, parent
from xlearning.units import format_duration

STAGING, HISTORY = "xlearning.staging.dir", "xlearning.history.log.dir"
_SHARED, _STICKY, _OTHERS = 0o1777, 0o1000, 0o002
_TIMEOUT = 7.0  # seconds for one call


class Hdfs:
    """The checks on the default file system of a cluster.

    Parameters
    ----------
    fss : FileSystems, optional
        Default: those of the cluster, made after the login.
    """

    def __init__(self, cluster: Cluster, fss: FileSystems | None = None) -> None:
        self._cluster, self._config = cluster, cluster.config
        self._made = fss
        self._skew = 0.0

    @property
    def fss(self) -> FileSystems:
        """For whom the cluster takes us; so after the login."""
        if self._made is None:
            timeout = min(_TIMEOUT, self._config.get("xlearning.fs.timeout"))
            site = self._cluster.site
            self._made = FileSystems(site.default_fs, timeout=timeout, user=self._cluster.user)
        return self._made

    def answers(self) -> Finding:
        """Whether the NameNode answers at all."""
        start = time.monotonic()
        # the root of a view answers without any HDFS
        view = self.fss.default_uri.startswith("viewfs:")
        exists(self.fss.default, self.fss.resolve("") if view else join(self.fss.default_uri, "/"))
        return ok(f"{self.fss.default_uri} answers after {_ms(time.monotonic() - start)}")

    def home(self) -> Finding:
        """Skein stages in the user's home folder."""
        folder = parent(self.fss.resolve("x"))
        name = self._cluster.user
        try:
            status = self.fss.of(folder).stat(folder)
        except FileNotFoundError:
            in_the_way: list[Problem] = []
            check_home(folder, self.fss, name, in_the_way)  # as a submission judges it
            if not in_the_way:
                return ok(f"{folder}, made by the first job")
            return problem(
                f"there is no {folder}",
                f"HDFS's administrator runs: hdfs dfs -mkdir -p {folder} && hdfs dfs -chown {name} {folder}",
            )
        if status.owner != name:
            return warning(
                f"{folder} belongs to {status.owner}",
                f"HDFS's administrator runs: hdfs dfs -chown {name} {folder}",
            )
        return ok(f"{folder}, mode {status.mode & 0o7777:o}")

    def staging(self) -> Finding:
        """The folder that all users' jobs are staged in."""
        return self._shared(STAGING)

    def history(self) -> Finding:
        """The folder of all jobs' records. A job runs without it."""
        found = self._shared(HISTORY)
        folder = self.fss.resolve(self._config.get(HISTORY))
        if not exists(self.fss.of(folder), folder):
            return found
        try:
            round_trip(self.fss.of(folder), folder)
        except OSError as error:
            return warning(
                f"{folder} cannot be written to, so records of jobs are lost: {error}", _make(folder)
            )
        return found

    def trip(self) -> Finding:
        """There and back, in the user's staging."""
        folder = self.fss.resolve(self._config.get(STAGING))
        fs = self.fss.of(folder)
        there = exists(fs, folder)
        place = folder if there else self._nearest(folder)
        try:
            trip = round_trip(fs, place)
        except PermissionError:
            return problem(f"{self._cluster.user} may not write to {place}", _make(folder))
        self._skew = trip.skew
        return ok(f"folder made, file written, read, renamed, deleted in {_ms(trip.seconds)} ({place})")

    def clock(self) -> Finding:
        """Ours against the NameNode's."""
        return machine.clock(self._skew, "the NameNode", secure=self._cluster.secure)

    def _shared(self, name: str) -> Finding:
        folder = self.fss.resolve(self._config.get(name))
        try:
            status = self.fss.of(folder).stat(folder)
        except FileNotFoundError:
            return ok(f"{folder}, made by the first job")
        mode = status.mode & 0o7777
        words = f"{folder}, mode {mode:o}, of {status.owner}"
        if not status.is_dir:
            return problem(f"{folder} is a file", f"remove it, or set {name} to another folder")
        if not mode & _OTHERS and status.owner == self._cluster.user:
            return warning(f"{words}: others cannot use it", _make(folder))
        if mode & _OTHERS and not mode & _STICKY:
            return warning(f"{words}: everybody may delete what others have there", _make(folder))
        return ok(words)

    def _nearest(self, folder: str) -> str:
        fs, above = self.fss.of(folder), parent(folder)
        while not exists(fs, above) and parent(above) != above:
            above = parent(above)
        return above


def _make(folder: str) -> str:
    return f"who owns the folder runs: hdfs dfs -mkdir -p {folder} && hdfs dfs -chmod {_SHARED:o} {folder}"


def _ms(seconds: float) -> str:
    return format_duration(max(seconds, 0.001))
