"""The shell scripts that start our processes in YARN containers. Pure text.

Scripts, not environment variables, carry values: YARN writes variables unescaped into its own launch
script, while a script is a file and arrives byte for byte.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from xlearning.cluster import base

LIBRARY = "__xlearning__"  # link to our unpacked package in every container
MASTER_LIBRARY = "__xlearning_am__"  # link to what only the ApplicationMaster needs
EXTRAS_LIBRARY = "__xlearning_extras__"  # link to the optional libraries of the job
NO_INTERPRETER = 233  # exit code, with those of container/bootstrap.py
# That of bash holds the current folder, and what the NodeManager has is not passed on.
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CONFIGURATION = ".xlearning-conf"
_CREDENTIALS = ".xlearning-tls"

# SKEIN_* variables and .skein.* files come from skein, all others from YARN.
_IDENTITY = f"""\
set -e
umask 077
export HOME="$PWD" PYTHONNOUSERSITE=1 PYTHONDONTWRITEBYTECODE=1 PATH={_PATH}
unset JDK_JAVA_OPTIONS http_proxy https_proxy grpc_proxy HTTP_PROXY HTTPS_PROXY
mkdir -p {_CREDENTIALS}
cp .skein.crt {_CREDENTIALS}/tls.crt
cp .skein.pem {_CREDENTIALS}/tls.key
attempt=${{CONTAINER_ID%_*}}
attempt=${{attempt##*_}}
export {base.ENV_BACKEND}=yarn
export {base.ENV_APP_ID}="$SKEIN_APPLICATION_ID"
export {base.ENV_ATTEMPT}=$((10#$attempt))
export {base.ENV_LOG_DIR}="${{LOG_DIRS%%,*}}"
export {base.ENV_HOST}="$NM_HOST"
export {base.ENV_CREDENTIALS}="$PWD/{_CREDENTIALS}"
if [ -z "$JAVA_HOME" ] && java=$(command -v java); then
  java=$(readlink -f "$java")
  export JAVA_HOME="${{java%/bin/java}}"
fi
"""


@dataclass(frozen=True)
class NodePackage:
    """Our package for the nodes on the cluster.

    Attributes
    ----------
    base : str
        URI of the archive for every container.
    master : str
        URI of what only the ApplicationMaster needs; empty where the base holds that too.
    public : bool
        Whether nodes may share the base among all users.
    extras : str
        URI of the optional libraries that the job needs, for every container; empty: none.
    """

    base: str
    master: str = ""
    public: bool = False
    extras: str = ""


@dataclass(frozen=True)
class Launch:
    """What all containers of an application have in common.

    Attributes
    ----------
    python : str
        Interpreter of our processes on the nodes.
    staging_root : str
        URI of the folder of all staging folders.
    user : str
        HDFS user where nothing else says who that is; empty on secure clusters.
    file_systems : tuple of str
        On a secure cluster the URIs of all file systems that the job needs tokens for.
    viewers : tuple of str
        Who may open the page; empty: everybody whom YARN lets through.
    hadoop : mapping
        File name -> text of a Hadoop configuration, for nodes that have none.
    tls : bool
        See `xlearning.cluster.base.needs_tls`.
    """

    python: str
    staging_root: str
    user: str = ""
    file_systems: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()
    hadoop: Mapping[str, str] = field(default_factory=dict)
    tls: bool = False


def am_script(launch: Launch, env: Mapping[str, str]) -> str:
    """Starts the ApplicationMaster, with ``env`` on top of YARN's variables."""
    return _script(launch, "am", env)


def agent_script(launch: Launch, role: str) -> str:
    """Starts the agent of a container of ``role``."""
    return _script(launch, "agent", {base.ENV_ROLE: role})


def _script(launch: Launch, part: str, env: Mapping[str, str]) -> str:
    variables = {"HADOOP_USER_NAME": launch.user} if launch.user else {}
    if launch.file_systems:
        variables[base.ENV_FILE_SYSTEMS] = " ".join(launch.file_systems)
    if launch.tls:
        variables[base.ENV_TLS] = "1"
    if launch.viewers:
        variables[base.ENV_VIEWERS] = " ".join(launch.viewers)
    variables |= env
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    root = shlex.quote(launch.staging_root)
    links = (LIBRARY, MASTER_LIBRARY, EXTRAS_LIBRARY) if part == "am" else (LIBRARY, EXTRAS_LIBRARY)
    library = ":".join(f"$PWD/{link}" for link in links)
    return (
        f"{_IDENTITY}"
        f'export PYTHONPATH="{library}"\n'
        f'export {base.ENV_STAGING}={root}/"$SKEIN_APPLICATION_ID"\n'
        f"{_configuration(launch.hadoop)}"
        f"{exports}"
        f"{_check(launch.python, part)}"
        # exec: the process itself must get YARN's signals
        f"exec {shlex.quote(launch.python)} {LIBRARY}/xlearning/container/bootstrap.py {part}\n"
    )


def _configuration(files: Mapping[str, str]) -> str:
    """For a node without a Hadoop configuration, and for the user's program there."""
    if not files:
        return ""
    lines = ['if [ ! -r "$HADOOP_CONF_DIR/core-site.xml" ]; then', f"  mkdir -p {_CONFIGURATION}"]
    for name, text in files.items():
        lines.append(f"  printf %s {shlex.quote(text)} > {_CONFIGURATION}/{shlex.quote(name)}")
    lines += [f'  export HADOOP_CONF_DIR="$PWD/{_CONFIGURATION}"', "fi"]
    return "\n".join(lines) + "\n"


def _check(python: str, part: str) -> str:
    """Without it the exit code of a missing interpreter would be that of any missing command."""
    words = f"xlearning: the {part} cannot run: there is no {python} on $(hostname); set xlearning.python"
    return (
        f"command -v -- {shlex.quote(python)} >/dev/null || "
        f"{{ echo {_double_quoted(words)} >&2; exit {NO_INTERPRETER}; }}\n"
    )


def _double_quoted(text: str) -> str:
    """In double quotes, where only ``$(hostname)`` is expanded."""
    kept = "$(hostname)"
    before, _, after = text.partition(kept)
    escaped = ["".join(f"\\{c}" if c in '\\"$`' else c for c in part) for part in (before, after)]
    return f'"{escaped[0]}{kept}{escaped[1]}"'
