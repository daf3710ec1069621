"""The node as the environment of a program needs to know it."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from xlearning.container.environment import Node
from xlearning.container.identity import Identity


def here(identity: Identity, work: Path) -> Node:
    """This node, seen from the container whose working folder is ``work``."""
    try:
        account = pwd.getpwuid(os.getuid())
        home, user = account.pw_dir, account.pw_name
    except KeyError:  # a user id without an account, as in many Docker images
        home, user = str(work), str(os.getuid())
    environ = {_text(name): _text(value) for name, value in os.environb.items()}
    return Node(
        environ=environ,
        work=str(work),
        log_dir=str(identity.log_dir),
        home=home,
        user=user,
        local=identity.local,
        is_dir=os.path.isdir,
        jars=lambda folder: sorted(str(path) for path in Path(folder).glob("*.jar")),
    )


def in_docker() -> bool:
    """Whether this process is in a container of Docker's, or of Podman's, which YARN takes for it too."""
    return any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv"))


def _text(value: bytes) -> str:
    """As the guardian turns it back into bytes, whatever the agent's own locale is."""
    return value.decode("utf-8", "surrogateescape")
