"""The environment of the user process: built from scratch, nothing of ours or of the node leaks in.

`build` is pure: what it must know about the node's disk comes as functions in `Node`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xlearning.cluster.base import ENV_APP_ID, ENV_CONTAINER_ID
from xlearning.job import SearchPaths

# Linux refuses one variable of 32 pages or more, whatever the total is (MAX_ARG_STRLEN).
_LONGEST_VARIABLE = 128 * 1024 - 1

_FROM_NODE = (
    "HADOOP_USER_NAME",
    "HADOOP_CONF_DIR",
    "HADOOP_HDFS_HOME",
    "HADOOP_TOKEN_FILE_LOCATION",
    "JAVA_HOME",
)
# What the user of a laptop expects of a program that runs "here".
_FROM_LAPTOP = (
    *("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYTHONPATH"),
    *("KRB5CCNAME", "KRB5_CONFIG", "XLEARNING_CONF_DIR"),
)
_DEVICES = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")  # an empty one means something: none
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Node:
    """What the container finds on its node.

    Attributes
    ----------
    environ : mapping
        The agent's own environment, as the back end gave it.
    work, log_dir : str
        The container's working and log folder.
    home, user : str
        From the password database, for where the environment has no HOME or USER.
    local : bool
        The container is a process on the submitter's own machine.
    is_dir : callable
        Whether a path is a folder.
    jars : callable
        Paths of the ``*.jar`` files in a folder, sorted.
    """

    environ: Mapping[str, str]
    work: str
    log_dir: str
    home: str
    user: str
    local: bool
    is_dir: Callable[[str], bool]
    jars: Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Environment:
    """Variables of the user process, and the files that hold those that were too long."""

    variables: Mapping[str, str]
    files: Mapping[str, str]


def build(
    node: Node,
    extra: Mapping[str, str],
    overflow: Mapping[str, str],
    limit: int,
    search: SearchPaths = SearchPaths(),  # noqa: B008 - frozen
) -> Environment:
    """The environment of the user process.

    Parameters
    ----------
    node : Node
    extra : mapping
        The job's own variables; they win over those of the node.
    overflow : mapping
        Variable -> file name (relative to the working folder) for variables that may become a file.
    limit : int
        Longest environment in bytes, counted as the sum of ``NAME=value`` and one byte each
        (``xlearning.env.maxlength``).
    search : SearchPaths
        Added to the search paths, those of ``extra`` too.

    Returns
    -------
    Environment
        When the limit is exceeded, the variables named in ``overflow`` are files of one line instead.
    """
    variables = {**_base(node), **extra}
    variables |= _searched(variables, search, node.work)
    movable = {name: file for name, file in overflow.items() if name in variables}
    if not movable or not _too_long(variables, movable, limit):
        return Environment(variables, {})
    files = {file: variables[name] + "\n" for name, file in movable.items()}
    return Environment({k: v for k, v in variables.items() if k not in movable}, files)


def _base(node: Node) -> dict[str, str]:
    env = node.environ
    result = {name: env[name] for name in _FROM_NODE if env.get(name)}
    result |= {name: env[name] for name in _DEVICES if name in env}
    hadoop = env.get("HADOOP_HOME") or env.get("HADOOP_YARN_HOME") or ""
    if hadoop:
        result["HADOOP_HOME"] = hadoop
        result |= _hadoop_version(node, hadoop)
    result |= {
        "HOME": env.get("HOME") or node.home,
        "USER": env.get("USER") or node.user,
        "LANG": env.get("LANG") or "C.UTF-8",
        # The path of a local container is too long for Unix sockets, which programs make in TMPDIR.
        "TMPDIR": (env.get("TMPDIR") or "/tmp") if node.local else f"{node.work}/tmp",
        "PYTHONUNBUFFERED": "1",
        "XLEARNING_CONTAINER_LOG_DIR": node.log_dir,
        "HBOX_CONTAINER_LOG_DIR": node.log_dir,
        "CONTAINER_ID": env.get(ENV_CONTAINER_ID, ""),
        "APP_ID": env.get(ENV_APP_ID, ""),
        "PATH": _path(node, hadoop),
        "LD_LIBRARY_PATH": _library_path(node, hadoop),
    }
    classpath = _class_path(node, hadoop)
    if classpath:
        result["CLASSPATH"] = classpath
    if node.local:
        result |= {name: env[name] for name in _FROM_LAPTOP if env.get(name)}
        result |= {name: value for name, value in env.items() if name.startswith("LC_")}
    return result


def _hadoop_version(node: Node, hadoop: str) -> dict[str, str]:
    """Hbox's HADOOP_VERSION, which Hadoop's own jar has in its name."""
    jars = " ".join(node.jars(f"{hadoop}/share/hadoop/common"))
    found = re.search(r"/hadoop-common-(\d\S*?)(?:-tests)?\.jar", jars)
    return {"HADOOP_VERSION": found[1]} if found else {}


def _path(node: Node, hadoop: str) -> str:
    homes = (node.environ.get("JAVA_HOME"), node.environ.get("HADOOP_HDFS_HOME"), hadoop)
    front = [f"{home}/bin" for home in homes if home and node.is_dir(f"{home}/bin")]
    return _joined([*front, node.environ.get("PATH") or _DEFAULT_PATH])


def _library_path(node: Node, hadoop: str) -> str:
    java = node.environ.get("JAVA_HOME", "")
    candidates = [f"{java}/lib/server", f"{java}/jre/lib/amd64/server"] if java else []
    if hadoop:
        candidates.append(f"{hadoop}/lib/native")
    found = [folder for folder in candidates if node.is_dir(folder)]
    return _joined(["./", node.environ.get("LD_LIBRARY_PATH", ""), *found])


def _class_path(node: Node, hadoop: str) -> str:
    """What libhdfs needs: JNI does not expand ``*``, so every jar is named."""
    share = f"{hadoop}/share/hadoop"
    if not hadoop or not node.is_dir(share):
        return ""
    folders = (f"{share}/common", f"{share}/common/lib", f"{share}/hdfs", f"{share}/hdfs/lib")
    jars = [jar for folder in folders for jar in node.jars(folder)]
    # YARN expands $VAR in a launch script only: a part that still holds one leads nowhere.
    given = [part for part in node.environ.get("CLASSPATH", "").split(":") if "$" not in part]
    return _joined(["./", node.environ.get("HADOOP_CONF_DIR", ""), *given, *jars])


def _searched(variables: Mapping[str, str], search: SearchPaths, work: str) -> dict[str, str]:
    """The search paths that change, with what the user adds to them."""
    found = {}
    for name, more in (("PATH", search.path), ("LD_LIBRARY_PATH", search.library_path)):
        if more:
            found[name] = _joined([variables[name], more])
    if search.jars:
        jars = [f"{work}/{name}" for name in search.jars]
        rest = variables.get("CLASSPATH", "./")
        found["CLASSPATH"] = _joined([*jars, rest] if search.jars_first else [rest, *jars])
    return found


def _joined(parts: Sequence[str]) -> str:
    """Parts joined by ``:`` without empty ones, without Java's ``null`` and without repetition."""
    pieces = (piece for part in parts for piece in part.split(":"))
    return ":".join(dict.fromkeys(piece for piece in pieces if piece and piece != "null"))


def _too_long(variables: Mapping[str, str], movable: Mapping[str, str], limit: int) -> bool:
    sizes = {name: _size(f"{name}={value}") + 1 for name, value in variables.items()}
    return sum(sizes.values()) > limit or any(sizes[name] > _LONGEST_VARIABLE for name in movable)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
