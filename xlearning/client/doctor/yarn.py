"""YARN as jobs use it: its ResourceManager, and how much its nodes can give."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any

from xlearning.client.doctor import machine
from xlearning.client.doctor.hadoop import Cluster
from xlearning.client.doctor.model import Finding, ok, problem, warning
from xlearning.client.preflight import queues
from xlearning.client.problems import Problem
from xlearning.cluster import resource_manager, yarn_facts
from xlearning.cluster.resource_manager import INFO, Refused, ResourceManagerWeb
from xlearning.cluster.yarn_facts import Facts
from xlearning.cluster.yarn_queues import allowed
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

    @cached_property
    def facts(self) -> Facts:
        """What it tells of nodes and queues; asked once."""
        return yarn_facts.ask(self.web.get)

    def nodes(self) -> Finding:
        """How many there are, and the largest container."""
        metrics: Any = self.web.get(_METRICS)["clusterMetrics"]
        active, lost, ill = (int(metrics.get(f"{kind}Nodes", 0)) for kind in ("active", "lost", "unhealthy"))
        most = self.facts.limits
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

    def queue(self) -> Finding:
        """The queue that jobs go to where they name none, as a submission looks at it."""
        config, user = self._cluster.config, self._cluster.user
        problems: list[Problem] = []
        notes: list[str] = []
        queues.check(config, self.facts, user, problems, notes)
        if problems:
            fixes = dict.fromkeys(one.fix for one in problems)
            return problem("; ".join(one.message for one in problems), "; ".join(fixes))
        if notes:
            return warning("; ".join(notes), "set xlearning.app.queue for everybody in the site file")
        found = queues.find(config, self.facts)
        if found is None:
            return ok("YARN tells nothing about it, or makes it when a job comes")
        known = not self.facts.access_control or allowed(found.access, user, queues.groups_of(user))
        state = f"{found.path}, {found.state or 'open'}"
        return ok(state if known else f"{state}; only YARN knows whether {user} may submit to it")

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
