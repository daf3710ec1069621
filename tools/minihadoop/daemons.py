"""The daemons of a cluster: names, ports, command lines."""

from __future__ import annotations

import os
from pathlib import Path

from . import realm, security
from .errors import MiniHadoopError
from .layout import Layout, State

_MAIN = {
    "namenode": "org.apache.hadoop.hdfs.server.namenode.NameNode",
    "datanode": "org.apache.hadoop.hdfs.server.datanode.DataNode",
    "resourcemanager": "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    "nodemanager": "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
}
_PURPOSES = {
    "kdc": ("kdc",),
    "namenode": ("rpc", "http"),
    "datanode": ("data", "ipc", "http"),
    "resourcemanager": ("rpc", "scheduler", "tracker", "admin", "http"),
    "nodemanager": ("rpc", "localizer", "http"),
}
_HEAP = {"namenode": 384, "datanode": 256, "resourcemanager": 512, "nodemanager": 384}

_JVM = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",  # many young JVMs on few cores: the second compiler costs more than it gives
    "-Djava.net.preferIPv4Stack=true",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
)


def names(nodes: int, secure: bool = False) -> list[str]:
    """Daemons of a cluster with so many NodeManagers; a secure one has a KDC too."""
    return [
        *(["kdc"] if secure else []),
        "namenode",
        "datanode",
        "resourcemanager",
        *(f"nodemanager{i}" for i in range(nodes)),
    ]


def select(name: str, nodes: int, secure: bool = False) -> list[str]:
    """Daemons meant by a name: one of `names`, or ``hdfs`` or ``yarn`` for all of that half.

    Raises
    ------
    MiniHadoopError
        There is none of that name.
    """
    known = names(nodes, secure)
    first = known.index("namenode")
    groups = {"hdfs": known[first : first + 2], "yarn": known[first + 2 :]} | {each: [each] for each in known}
    if name not in groups:
        raise MiniHadoopError(f"no daemon is called {name!r}: choose one of {', '.join(groups)}")
    return groups[name]


def kind(name: str) -> str:
    """``nodemanager`` for ``nodemanager3``, else the name itself."""
    return name.rstrip("0123456789")


def port_names(nodes: int, secure: bool = False) -> list[str]:
    """All ports that a cluster needs, as ``<daemon>.<purpose>``."""
    return [f"{name}.{purpose}" for name in names(nodes, secure) for purpose in _PURPOSES[kind(name)]]


def marker(layout: Layout) -> str:
    """Argument on the command line of every JVM of this cluster, by which they are found again."""
    return f"-Dminihadoop.dir={layout.root}"


def command(layout: Layout, state: State, name: str, *arguments: str) -> list[str]:
    """Command line that runs a daemon in the foreground."""
    if name == "kdc":
        return realm.command(layout)
    stand_in = f"{layout.stand_in}:" if state.secure and kind(name) == "nodemanager" else ""
    return [
        f"{state.java_home}/bin/java",
        f"-Xmx{_HEAP[kind(name)]}m",
        *_JVM,
        *([security.java_option(layout)] if state.secure else []),
        marker(layout),
        f"-Dminihadoop.daemon={name}",
        "-cp",
        f"{stand_in}{layout.conf_of(name)}:{state.lib}/*",
        _MAIN[kind(name)],
        *arguments,
    ]


def environment(layout: Layout, state: State, name: str) -> dict[str, str]:
    """Environment of a daemon: the caller's without what belongs to another Hadoop or tunes another JVM."""
    foreign = ("HADOOP_", "HDFS_", "YARN_", "MAPRED_", "JAVA_", "JDK_JAVA_")
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(foreign) and key != "CLASSPATH"
    }
    if name == "kdc":
        return kept | realm.environment(layout)
    return kept | {
        "JAVA_HOME": state.java_home,
        "HADOOP_CONF_DIR": str(layout.conf_of(name)),
        "LC_ALL": "C.UTF-8",  # else Java cannot open files whose names are not ASCII
    }


def log_tail(path: Path, lines: int) -> str:
    """Last lines of a log; empty where there is none."""
    if lines < 1:
        return ""
    try:
        with path.open("rb") as handle:
            size = handle.seek(0, os.SEEK_END)
            handle.seek(max(0, size - 400 * lines - 4096))
            text = handle.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
