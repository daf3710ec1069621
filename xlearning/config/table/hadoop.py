"""Hadoop's own properties that the original read, and those that people give beside ours."""

from __future__ import annotations

from xlearning.config.schema import Effect, Family, Group, Key, Kind, ignored, missing

_NO_KEYS = ignored("lines of standard output have no keys")
_LIMIT_OF_YARN = ignored("the ResourceManager's own configuration counts")


def _hadoop(name: str, default: str | None, doc: str, effect: Effect, *, kind: Kind = Kind.STRING) -> Key:
    return Key(name, kind, default, doc, effect=effect)


HADOOP = Group(
    "Hadoop's own properties, in files and options of XLearning",
    (
        _hadoop("fs.defaultFS", None, "The default file system.",
                missing("take the default file system from here",
                        "set it in core-site.xml of HADOOP_CONF_DIR, or write full addresses")),
        _hadoop("hadoop.job.ugi", None, "The user.",
                missing("take the user from here", "set the variable HADOOP_USER_NAME")),
        _hadoop("yarn.application.classpath", None, "Java classpath of containers.",
                ignored("there is no JVM in the containers")),
        _hadoop("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "600000",
                "Longest wait of the original for a container.",
                ignored("xlearning.localresource.timeout and xlearning.allocate.timeout are the waits")),
        _hadoop("yarn.resourcemanager.am.max-attempts", None, "Most attempts of an application.",
                _LIMIT_OF_YARN),
        _hadoop("yarn.nodemanager.container-monitor.process-tree.class", None, "How memory was measured.",
                ignored("agents measure memory themselves")),
        _hadoop("mapred.textoutputformat.separator", None,
                "What stands between key and value in the output of an OutputFormat.", _NO_KEYS),
    ),
)  # fmt: skip

_ELSEWHERE = ignored("Hadoop's own properties are read from the files in HADOOP_CONF_DIR")

HADOOP_FAMILIES = tuple(
    Family(prefix, "Properties of Hadoop.", (), _ELSEWHERE)
    for prefix in ("yarn.", "dfs.", "fs.", "mapred.", "mapreduce.", "hadoop.", "io.", "ipc.", "ha.")
)
