"""The class path of the helper: the job's jars, then Hadoop's configuration and classes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable

from xlearning.errors import UsageError

_PATIENCE = 60.0  # seconds for the command `hadoop classpath`
_jars: tuple[str, ...] = ()


def offer(jars: Iterable[str]) -> None:
    """Let classes be loaded from these jars: paths and URIs. Those that were offered before are forgotten."""
    global _jars
    _jars = tuple(jar for jar in jars if jar.endswith(".jar"))


def offered() -> tuple[str, ...]:
    """See `offer`."""
    return _jars


def of_node(given: str | None) -> list[str]:
    """Where Hadoop's classes and configuration are on this node.

    Parameters
    ----------
    given : str or None
        What the job says (``xlearning.java.classpath``); None: what the node says.

    Raises
    ------
    UsageError
        Nothing says where they are.
    """
    first = [os.environ["HADOOP_CONF_DIR"]] if os.environ.get("HADOOP_CONF_DIR") else []
    rest = (
        given
        or _of_command()
        or ":".join(filter(None, map(os.environ.get, ("HADOOP_CLASSPATH", "CLASSPATH"))))
    )
    if not rest:
        raise UsageError(
            "Java classes need Hadoop's jars, and this node does not say where they are: there is no command "
            "hadoop, HADOOP_CLASSPATH and CLASSPATH are empty",
            hint="--conf xlearning.java.classpath=/path/to/hadoop/share/hadoop/common/*:...",
        )
    return [*first, *(part for part in rest.split(":") if part)]


def _of_command() -> str:
    home = os.environ.get("HADOOP_HOME")
    command = shutil.which("hadoop", path=f"{home}/bin:{os.environ.get('PATH', '')}" if home else None)
    if command is None:
        return ""
    try:
        found = subprocess.run(
            [command, "classpath"], capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(
            f"{command} classpath has failed: {error}", hint="set xlearning.java.classpath"
        ) from error
    return found.stdout.strip()
