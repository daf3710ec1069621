"""Which containers an ended application had, from the list of the logs that YARN has gathered."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence

from xlearning.cluster.base import KnownContainer
from xlearning.errors import ClusterUnavailable

_PATIENCE = 30.0  # seconds
_CONTAINER = re.compile(r"^Container: (container_\w+) on (.+)_\d+$")
_FILE = re.compile(r"^\s+(\S+)\s+\d+\s+\w{3} ")
_MASTER = "application.master.log"
_OURS = frozenset(("agent.log", "tensorboard.log"))


def logged(app_id: str, owner: str) -> Sequence[KnownContainer]:
    """The containers whose logs YARN has gathered; nothing where there are none, or no program to ask.

    Raises
    ------
    ClusterUnavailable
        ``yarn logs`` does not answer.
    """
    if shutil.which("yarn") is None:
        return ()
    words = ["yarn", "logs", "-applicationId", app_id, "-appOwner", owner, "-show_container_log_info"]
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ClusterUnavailable(f"yarn logs did not answer within {_PATIENCE:g} s") from error
    return parse(done.stdout.decode("utf-8", "replace"))


def parse(text: str) -> list[KnownContainer]:
    """The containers of a list; a container's role is the name of the log that skein keeps of it."""
    found: dict[str, tuple[str, list[str]]] = {}
    files: list[str] = []
    for line in text.splitlines():
        if container := _CONTAINER.match(line):
            files = found.setdefault(container[1], (container[2], []))[1]
        elif file := _FILE.match(line):
            files.append(file[1])
    return [
        KnownContainer(name, host, "", "", master=_MASTER in files, role=_role(files))
        for name, (host, files) in found.items()
    ]


def _role(files: Sequence[str]) -> str:
    """``worker`` of ``worker.log``, and of ``worker.a2.log`` of a later attempt."""
    names = [name for name in files if name.endswith(".log") and name not in _OURS]
    return names[0].partition(".")[0] if len(names) == 1 else ""
