"""The shell scripts that start our processes in YARN containers. Pure text.

Scripts, not environment variables, carry values: YARN writes variables unescaped into its own launch
script, while a script is a file and arrives byte for byte.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from xlearning.cluster import base

LIBRARY = "__xlearning__"  # link to our unpacked package in every container
_CREDENTIALS = ".xlearning-tls"

# SKEIN_* variables and .skein.* files come from skein, all others from YARN.
_IDENTITY = f"""\
set -e
umask 077
export HOME="$PWD" PYTHONNOUSERSITE=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/{LIBRARY}"
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
"""


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
    """

    python: str
    staging_root: str
    user: str = ""
    file_systems: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()


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
    if launch.viewers:
        variables[base.ENV_VIEWERS] = " ".join(launch.viewers)
    variables |= env
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    root = shlex.quote(launch.staging_root)
    return (
        f"{_IDENTITY}"
        f'export {base.ENV_STAGING}={root}/"$SKEIN_APPLICATION_ID"\n'
        f"{exports}"
        # exec: the process itself must get YARN's signals
        f"exec {shlex.quote(launch.python)} {LIBRARY}/xlearning/container/bootstrap.py {part}\n"
    )
