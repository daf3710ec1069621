"""Where the local back end keeps an application, and how its small files are written.

``<root>/apps/<application id>/``::

    app.json           the report, replaced atomically
    launch.json        what the supervisor starts
    client.pid         identity of the client that has taken the id, until it is submitted
    supervisor.pid     identity of the supervisor
    killed.json        who has killed it by force, and why
    credentials/       tls.crt and tls.key
    am/<attempt>/      work/ logs/ status.json (address of the page, progress) finish.json (its last word)
    containers/<id>/   work/ logs/
    cache/             localized files and unpacked archives, shared by the containers

Standard library only: the supervisor uses it too.
"""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

from xlearning.errors import ClusterError
from xlearning.jsonfile import read_local

TYPE_CHECKING = False  # as in typing, whose import costs more than the rest of this module
if TYPE_CHECKING:
    from typing import Any

APP_ID = re.compile(r"application_(\d{13,})_(\d{4,})", re.ASCII)
CONTAINER_ID = re.compile(r"container_(\d{13,}_\d{4,})_(\d{2,})_(\d{6,})", re.ASCII)
ENV_SLOTS = "XLEARNING_LOCAL_SLOTS"  # to the ApplicationMaster: containers at once
AM_CONTAINER = 1  # number of the ApplicationMaster's own container in its attempt

_TAIL_BYTES = 4096  # YARN, too, shows the last 4096 bytes


def bootstrap() -> Path:
    """The script that starts an ApplicationMaster (argument ``am``) or an agent (``agent``)."""
    from importlib.util import find_spec

    # by name, not by import: this room may not load the agent's
    spec = find_spec("xlearning.container")
    if spec is None or not spec.submodule_search_locations:
        raise ClusterError("the package xlearning.container is not installed", hint="install xlearning again")
    return Path(next(iter(spec.submodule_search_locations))) / "bootstrap.py"


class Damaged(ClusterError):
    """A small file of the back end holds something else than was written there."""


class AppFolder:
    """The folder of one application."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.app_id = path.name
        self.report = path / "app.json"
        self.launch = path / "launch.json"
        self.client = path / "client.pid"
        self.supervisor = path / "supervisor.pid"
        self.killed = path / "killed.json"
        self.supervisor_log = path / "supervisor.log"
        self.credentials = path / "credentials"
        self.cache = path / "cache"
        self.scratch = path / "scratch"

    def is_own(self) -> bool:
        """Whether it is there, and of the account of this process: in a shared place others may make some."""
        try:
            found = os.lstat(self.path)
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()

    def am(self, attempt: int) -> Path:
        """Folder of one attempt of the ApplicationMaster."""
        return self.path / "am" / str(attempt)

    def container(self, container_id: str) -> Path:
        """Folder of one container; `ValueError` for something that is no container id of this application."""
        match = CONTAINER_ID.fullmatch(container_id)
        if match is None or "application_" + match[1] != self.app_id:
            raise ValueError(f"{container_id} is not a container of {self.app_id}")
        if int(match[3]) == AM_CONTAINER:
            return self.am(int(match[2]))
        return self.path / "containers" / container_id

    def container_id(self, attempt: int, number: int) -> str:
        """The id of container ``number`` (1 is the ApplicationMaster) of an attempt."""
        return f"{self.container_prefix}{attempt:02d}_{number:06d}"

    @property
    def container_prefix(self) -> str:
        """What the ids of all containers of this application begin with."""
        return self.app_id.replace("application_", "container_", 1) + "_"

    def works_in(self, folder: str) -> bool:
        """Whether a folder is the working folder of one of our containers, or below it."""
        parts = folder.removeprefix(f"{self.path}/").split("/")
        return folder.startswith(f"{self.path}/") and len(parts) > 2 and parts[2] == "work"

    def working_folders(self) -> list[Path]:
        """Everything that is deleted when the application ends; logs are not among it."""
        return [
            self.credentials,
            self.cache,
            self.scratch,
            *self.path.glob("am/*/work"),
            *self.path.glob("containers/*/work"),
        ]


def write_json(path: Path, data: Any) -> None:
    """Write ``data`` so that a reader finds the old file or the new one, never a half. Mode 600."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with open(
        os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump(data, file)
    temporary.replace(path)


def read_json(path: Path) -> Any:
    """Content of a JSON file, or None when it is not there; `Damaged` when it is damaged."""
    try:
        return read_local(path)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise Damaged(f"{path} is damaged: {error}") from error


def read_text(path: Path) -> str:
    """Content of a small text file; empty when it is not there."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""


def make_private(path: Path) -> Path:
    """Make a folder, and the missing ones above it, that only the owner may enter."""
    missing = [path, *path.parents]
    for folder in reversed(missing):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    return path


def last_lines(path: Path, count: int) -> list[str]:
    """The last ``count`` lines that are not blank, of the last 4096 bytes; none if it is missing."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            text = file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    return [line.rstrip() for line in text.splitlines() if line.strip()][-count:]
