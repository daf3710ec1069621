"""Which checks there are, in the order in which people read them, and what each needs."""

from __future__ import annotations

import importlib.metadata
import os
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from xlearning.client.doctor import gateway, hadoop, machine, shipped
from xlearning.client.doctor.gateway import Found
from xlearning.client.doctor.hadoop import Cluster
from xlearning.client.doctor.hdfs import Hdfs
from xlearning.client.doctor.model import Check
from xlearning.client.doctor.yarn import Yarn
from xlearning.config import Config

PORTS = ("xlearning.reserve.port.begin", "xlearning.reserve.port.end")
_GATEWAY, _LOCAL, _HADOOP, _HDFS, _YARN = "Gateway", "Local jobs", "Hadoop client", "HDFS", "YARN"
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Given:
    """What the command line and the environment say.

    Attributes
    ----------
    config : Config or None
        None where the properties cannot be used, which ``found`` tells.
    settings : mapping
        Options of the command line that set properties, each with its values.
    """

    environ: MutableMapping[str, str]
    user: str
    config: Config | None
    found: Found
    settings: Mapping[str, Sequence[str]]

    @property
    def usable(self) -> Config:
        """The configuration, or the defaults."""
        return self.config or Config.from_properties({})


def local(given: Given) -> list[Check]:
    """What jobs with ``--local`` need."""
    return [*_gateway(given), *_machine(given)]


def everything(given: Given, *, in_cluster: bool = False) -> list[Check]:
    """The gateway, and the cluster as it is seen from there."""
    cluster = Cluster(given.environ, given.usable, given.user)
    return [
        *_gateway(given),
        *_machine(given),
        *_client(given, cluster),
        *_hdfs(cluster),
        *_yarn(cluster, in_cluster),
    ]


def _gateway(given: Given) -> list[Check]:
    temporary = Path(tempfile.gettempdir())
    return [
        Check("xlearning", _GATEWAY, "XLearning", gateway.program),
        Check(
            *("dependencies", _GATEWAY, "Dependencies"),
            lambda: gateway.dependencies(gateway.requirements(), importlib.metadata.version),
        ),
        Check(
            *("properties", _GATEWAY, "Properties"),
            lambda: gateway.properties(given.config, given.found),
        ),
        Check(
            *("temporary", _GATEWAY, "Temporary folder"),
            lambda: machine.folder(temporary, "let TMPDIR name another folder"),
        ),
    ]


def _machine(given: Given) -> list[Check]:
    config = given.usable
    folder = Path(os.path.abspath(config.get("xlearning.local.dir")))  # noqa: PTH100 - links stay
    begin, end = (config.get(name) for name in PORTS)
    return [
        Check("python", _LOCAL, "python", lambda: machine.python_of_programs(given.environ)),
        Check(
            *("local-folder", _LOCAL, "Folder of jobs"),
            lambda: machine.folder(folder, "let xlearning.local.dir name another folder"),
        ),
        Check("processes", _LOCAL, "Processes", machine.processes),
        Check("shared-memory", _LOCAL, "Shared memory", machine.shared_memory),
        Check("limits", _LOCAL, "Limits", machine.limits),
        Check("ports", _LOCAL, "Ports", lambda: machine.ports(_LOOPBACK, begin, end)),
    ]


def _client(given: Given, cluster: Cluster) -> list[Check]:
    return [
        Check("java", _HADOOP, "Java", lambda: hadoop.java(given.environ)),
        Check("programs", _HADOOP, "Programs", lambda: hadoop.programs(given.environ)),
        Check("configuration", _HADOOP, "Configuration", cluster.configuration),
        Check("user", _HADOOP, "User", cluster.ticket, ("configuration",), 12.0),
    ]


def _hdfs(cluster: Cluster) -> list[Check]:
    hdfs = Hdfs(cluster)
    return [
        Check("hdfs", _HDFS, "NameNode", hdfs.answers, ("user",)),
        Check("home", _HDFS, "Home folder", hdfs.home, ("hdfs",)),
        Check("staging", _HDFS, "Staging", hdfs.staging, ("hdfs",)),
        Check("round-trip", _HDFS, "Round trip", hdfs.trip, ("staging",), 12.0),
        Check("hdfs-clock", _HDFS, "Clock", hdfs.clock, ("round-trip",)),
        Check("history", _HDFS, "History", hdfs.history, ("hdfs",)),
        Check("package", _HDFS, "Package", lambda: shipped.package(cluster, hdfs), ("staging",), 12.0),
    ]


def _yarn(cluster: Cluster, in_cluster: bool) -> list[Check]:
    yarn = Yarn(cluster)
    python = partial(shipped.python_of_nodes, cluster, in_cluster=in_cluster)
    return [
        Check("resource-manager", _YARN, "ResourceManager", yarn.answers, ("configuration",), 11.0),
        Check("yarn-version", _YARN, "Web service", yarn.version, ("resource-manager", "user"), 11.0),
        Check("yarn-clock", _YARN, "Clock", yarn.clock, ("resource-manager",)),
        Check("nodes", _YARN, "Nodes", yarn.nodes, ("yarn-version",)),
        Check("queue", _YARN, "Queue", yarn.queue, ("nodes",)),
        Check("nodes-python", _YARN, "Python of nodes", python),
    ]
