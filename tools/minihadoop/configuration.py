"""Writing Hadoop's configuration folders and the commands in ``bin``."""

from __future__ import annotations

import getpass
import shlex
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from . import security
from .layout import Layout, State

Values = Mapping[str, object]

VIEW = "viewfs://mini"
"""A view of the cluster's HDFS, for whoever asks for it."""

_HOST = "localhost"
_MEMORY = 16384
"""Megabytes that the NodeManagers offer together."""

# Data goes through stdout of these commands, so log lines must go to stderr.
_LOG4J = """\
log4j.rootLogger=INFO,A
log4j.appender.A=org.apache.log4j.ConsoleAppender
log4j.appender.A.target=System.err
log4j.appender.A.layout=org.apache.log4j.PatternLayout
log4j.appender.A.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
log4j.logger.http.requests=WARN
"""

_COMMAND = """\
#!/bin/sh
# stands for a command of a Hadoop installation
CONF="${{HADOOP_CONF_DIR:-{conf}}}"
CP="$CONF:{lib}/*"
case "$1" in
  classpath)
    if [ "$2" = --glob ]; then
      printf %s "$CONF"; for jar in {lib}/*.jar; do printf ':%s' "$jar"; done; echo
    else
      echo "$CP"
    fi
    exit ;;
  version) set -- org.apache.hadoop.util.VersionInfo ;;
  fs|dfs) shift; set -- org.apache.hadoop.fs.FsShell "$@" ;;
  dfsadmin) shift; set -- org.apache.hadoop.hdfs.tools.DFSAdmin "$@" ;;
  application|app) shift; set -- org.apache.hadoop.yarn.client.cli.ApplicationCLI application "$@" ;;
  node) shift; set -- org.apache.hadoop.yarn.client.cli.NodeCLI "$@" ;;
  fetchdt) shift; set -- org.apache.hadoop.hdfs.tools.DelegationTokenFetcher "$@" ;;
  logs) shift; set -- org.apache.hadoop.yarn.client.cli.LogsCLI "$@" ;;
  jar) shift; set -- org.apache.hadoop.util.RunJar "$@" ;;
esac
exec {java} {java_options}-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$CP" "$@"
"""


def write(layout: Layout, state: State) -> None:
    """Write the configuration of clients and daemons, and the commands, for the ports in `state`."""
    core, hdfs, yarn = core_site(layout, state), hdfs_site(state), yarn_site(layout, state)
    if state.secure:
        core = {**core, **security.core_site(layout)}
        hdfs = {**hdfs, **security.hdfs_site(layout)}
        yarn = {**yarn, **security.yarn_site(layout)}
    _write_folder(layout.conf, core, hdfs, yarn)
    for index in range(state.nodes):
        own = node_site(layout, state, index)
        _write_folder(layout.conf_of(f"nodemanager{index}"), core, hdfs, {**yarn, **own})
        if state.gpus:
            own_gpus = {"yarn.nodemanager.resource-type.yarn.io/gpu": state.gpus}
            _write_gpus(layout.conf_of(f"nodemanager{index}"), own_gpus)
    if state.gpus:
        _write_gpus(layout.conf, {})
    layout.bin.mkdir(exist_ok=True)
    text = _COMMAND.format(
        conf=layout.conf,
        lib=shlex.quote(state.lib),
        java=shlex.quote(f"{state.java_home}/bin/java"),
        java_options=f"{security.java_option(layout)} " if state.secure else "",
    )
    for name in ("hadoop", "hdfs", "mapred", "yarn"):
        (layout.bin / name).write_text(text)
        (layout.bin / name).chmod(0o755)


def address(state: State, port: str) -> str:
    """``host:port`` of one of the ports in `state`."""
    return f"{_HOST}:{state.ports[port]}"


def core_site(layout: Layout, state: State) -> Values:
    """``core-site.xml``."""
    user, hdfs = getpass.getuser(), f"hdfs://{address(state, 'namenode.rpc')}"
    mounts = {"link./user": f"{hdfs}/user", "link./tmp": f"{hdfs}/tmp", "linkFallback": f"{hdfs}/"}
    return {
        "fs.defaultFS": hdfs,
        **{f"fs.viewfs.mounttable.mini.{name}": target for name, target in mounts.items()},
        "hadoop.tmp.dir": layout.data,
        f"hadoop.proxyuser.{user}.hosts": "*",
        f"hadoop.proxyuser.{user}.groups": "*",
    }


def hdfs_site(state: State) -> Values:
    """``hdfs-site.xml``."""
    return {
        "dfs.replication": 1,
        "dfs.namenode.http-address": address(state, "namenode.http"),
        "dfs.datanode.address": address(state, "datanode.data"),
        "dfs.datanode.ipc.address": address(state, "datanode.ipc"),
        "dfs.datanode.http.address": address(state, "datanode.http"),
        "dfs.heartbeat.interval": 1,
        # the default keeps a restarted NameNode read-only for another 30 s
        "dfs.namenode.safemode.extension": 0,
        # tests cut small files into many blocks
        "dfs.namenode.fs-limits.min-block-size": 1024,
    }


def yarn_site(layout: Layout, state: State) -> Values:
    """``yarn-site.xml`` of clients and of the ResourceManager."""
    return {
        "yarn.resourcemanager.hostname": _HOST,
        "yarn.resourcemanager.bind-host": _HOST,
        "yarn.resourcemanager.address": address(state, "resourcemanager.rpc"),
        "yarn.resourcemanager.scheduler.address": address(state, "resourcemanager.scheduler"),
        "yarn.resourcemanager.resource-tracker.address": address(state, "resourcemanager.tracker"),
        "yarn.resourcemanager.admin.address": address(state, "resourcemanager.admin"),
        "yarn.resourcemanager.webapp.address": address(state, "resourcemanager.http"),
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": 200,
        "yarn.nm.liveness-monitor.expiry-interval-ms": 15000,
        "yarn.am.liveness-monitor.expiry-interval-ms": 60000,
        "yarn.scheduler.minimum-allocation-mb": 64,
        "yarn.application.classpath": f"{layout.conf},{state.lib}/*",
        "yarn.log-aggregation-enable": "true",
        "yarn.nodemanager.vmem-check-enabled": "false",
        # the default leaves memory to cgroups; without them nothing is ever killed
        "yarn.nodemanager.resource.memory.enforced": "false",
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": 99.9,
        "yarn.nodemanager.resource.memory-mb": _MEMORY // state.nodes,
        "yarn.nodemanager.resource.cpu-vcores": 32,
    }


def node_site(layout: Layout, state: State, index: int) -> Values:
    """What one NodeManager has beyond `yarn_site`."""
    name = f"nodemanager{index}"
    return {
        "yarn.nodemanager.hostname": _HOST,
        "yarn.nodemanager.bind-host": _HOST,
        "yarn.nodemanager.address": address(state, f"{name}.rpc"),
        "yarn.nodemanager.localizer.address": address(state, f"{name}.localizer"),
        "yarn.nodemanager.webapp.address": address(state, f"{name}.http"),
        "yarn.nodemanager.local-dirs": layout.data / name / "local",
        # must be absolute, else containers die with "Stdout path must be absolute"
        "yarn.nodemanager.log-dirs": layout.data / name / "logs",
    }


_SCHEDULER: Values = {
    "yarn.scheduler.capacity.root.queues": "default,small,stopped,team",
    # " " is nobody; who is named for a queue may also use those below it
    "yarn.scheduler.capacity.root.acl_submit_applications": " ",
    "yarn.scheduler.capacity.root.acl_administer_queue": " ",
    # all of the cluster when nobody else wants it
    "yarn.scheduler.capacity.root.default.capacity": 98,
    "yarn.scheduler.capacity.root.default.maximum-capacity": 100,
    "yarn.scheduler.capacity.root.default.user-limit-factor": 2,
    "yarn.scheduler.capacity.root.default.acl_submit_applications": "*",
    # a tenth of the cluster at most, in small containers
    "yarn.scheduler.capacity.root.small.capacity": 1,
    "yarn.scheduler.capacity.root.small.maximum-capacity": 10,
    "yarn.scheduler.capacity.root.small.user-limit-factor": 100,
    "yarn.scheduler.capacity.root.small.maximum-allocation-mb": 1024,
    "yarn.scheduler.capacity.root.small.maximum-allocation-vcores": 2,
    "yarn.scheduler.capacity.root.small.acl_submit_applications": "*",
    "yarn.scheduler.capacity.root.stopped.capacity": 0,
    "yarn.scheduler.capacity.root.stopped.state": "STOPPED",
    "yarn.scheduler.capacity.root.stopped.acl_submit_applications": "*",
    # queues below a queue; with access control one of them is for its owner alone
    "yarn.scheduler.capacity.root.team.capacity": 1,
    "yarn.scheduler.capacity.root.team.queues": "closed,night shift,full",
    "yarn.scheduler.capacity.root.team.closed.capacity": 50,
    "yarn.scheduler.capacity.root.team.closed.acl_submit_applications": "owner ",
    "yarn.scheduler.capacity.root.team.night shift.capacity": 50,
    "yarn.scheduler.capacity.root.team.night shift.user-limit-factor": 200,
    "yarn.scheduler.capacity.root.team.night shift.acl_submit_applications": "*",
    "yarn.scheduler.capacity.root.team.full.capacity": 0,
    "yarn.scheduler.capacity.root.team.full.acl_submit_applications": "*",
    "yarn.scheduler.capacity.maximum-am-resource-percent": 0.9,
    # the default hands out one container per node and heartbeat
    "yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments": 100,
}


_ALL_RESOURCES: Values = {
    "yarn.scheduler.capacity.resource-calculator": (
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
    ),
}


def _write_folder(folder: Path, core: Values, hdfs: Values, yarn: Values) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in (
        ("core-site", core),
        ("hdfs-site", hdfs),
        ("yarn-site", yarn),
        ("capacity-scheduler", _SCHEDULER),
    ):
        (folder / f"{name}.xml").write_text(render_xml(values))
    (folder / "log4j.properties").write_text(_LOG4J)
    # the jars come without these folders, but the daemons want them on the class path
    for name in ("hdfs", "datanode", "static", "secondary"):
        (folder / "webapps" / name).mkdir(parents=True, exist_ok=True)


def _write_gpus(folder: Path, own: Values) -> None:
    """Let the cluster know ``yarn.io/gpu``; the scheduler's default calculator knows memory alone."""
    (folder / "resource-types.xml").write_text(render_xml({"yarn.resource-types": "yarn.io/gpu"}))
    (folder / "node-resources.xml").write_text(render_xml(own))
    (folder / "capacity-scheduler.xml").write_text(render_xml({**_SCHEDULER, **_ALL_RESOURCES}))


def render_xml(values: Values) -> str:
    """Hadoop's XML form of properties."""
    rows = "".join(
        f"  <property><name>{escape(key)}</name><value>{escape(str(value))}</value></property>\n"
        for key, value in values.items()
    )
    return f"<configuration>\n{rows}</configuration>\n"
