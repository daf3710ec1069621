"""YARN as jobs use it: its ResourceManager, and how much its nodes can give."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from typing import Any

from xlearning.client.doctor import machine
from xlearning.client.doctor.hadoop import Cluster
from xlearning.client.doctor.model import Finding, ok, problem, warning
from xlearning.cluster import resource_manager, yarn_resources
from xlearning.cluster.resource_manager import INFO, Refused, ResourceManagerWeb
from xlearning.units import format_bytes

TESTED = ("3.3", "3.4", "3.5")  # as tools/minihadoop starts them
_METRICS = "/ws/v1/cluster/metrics"
_TIMEOUT = 4.0  # seconds


class Yarn:
    """The checks on the ResourceManager of a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._made: ResourceManagerWeb | None = None

    @property
    def web(self) -> ResourceManagerWeb:
        """Its web service."""
        if self._made is None:
            self._made = ResourceManagerWeb(self._cluster.site)
        return self._made

    def answers(self) -> Finding:
        """Whether applications can be submitted there."""
        resource_manager.check_reachable(self._cluster.site)
        addresses = [manager.rpc for manager in self._cluster.site.resource_managers]
        return ok(f"{'one of ' if len(addresses) > 1 else ''}{', '.join(addresses)} answers")

    def version(self) -> Finding:
        """Its state and version."""
        try:
            info = self.web.get(INFO)["clusterInfo"]
        except Refused as error:
            return problem(
                f"the web service does not let us in: {error.message}",
                "run kinit; where its login is not Kerberos, ask YARN's administrator how programs log in",
            )
        state, ha, version = (str(info.get(key, "")) for key in ("state", "haState", "hadoopVersion"))
        words = f"Hadoop {version}, {state}, {ha}"
        if state != "STARTED" or ha not in ("ACTIVE", ""):
            return problem(words, "wait until it is started and active, or ask its administrator")
        if not version.startswith(tuple(f"{one}." for one in TESTED)):
            return warning(
                words,
                f"XLearning was tested with {', '.join(TESTED)}; try xl-submit doctor --in-cluster",
            )
        return ok(words)

    def nodes(self) -> Finding:
        """How many there are, and the largest container."""
        metrics: Any = self.web.get(_METRICS)["clusterMetrics"]
        active, lost, ill = (int(metrics.get(f"{kind}Nodes", 0)) for kind in ("active", "lost", "unhealthy"))
        most = yarn_resources.ask(self.web.get)
        parts = [f"{active} active"]
        if most.memory_mb:
            parts.append(f"the largest container has {format_bytes(most.memory_mb * 2**20)}")
        if most.vcores:
            parts.append(f"{most.vcores} cores")
        if most.gpus:
            parts.append(f"{most.gpus} GPUs")
        words = ", ".join(parts)
        if not active:
            return problem(words, "no container can start: ask the administrator to start NodeManagers")
        if lost or ill:
            return warning(
                f"{words}; {lost} lost, {ill} unhealthy", "yarn node -list -all tells which, and why"
            )
        return ok(words)

    def clock(self) -> Finding:
        """Ours against the ResourceManager's, which its web server tells by the second."""
        web = self._cluster.site.resource_managers[0].web
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(web + INFO, method="HEAD")
        try:
            with opener.open(request, timeout=_TIMEOUT) as reply:
                told = reply.headers.get("Date")
        except urllib.error.HTTPError as error:
            with error:
                told = error.headers.get("Date")
        if not told:
            return ok("the ResourceManager does not tell its time")
        skew = time.time() - parsedate_to_datetime(told).timestamp()
        # told in whole seconds, rounded down
        skew = 0.0 if -1.0 < skew < 2.0 else skew
        return machine.clock(skew, "the ResourceManager", secure=self._cluster.secure)
