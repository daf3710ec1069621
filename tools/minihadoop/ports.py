"""Choice of TCP ports for the daemons."""

from __future__ import annotations

import random
import socket
from collections.abc import Collection
from pathlib import Path

from .errors import MiniHadoopError

LOW, HIGH = 10000, 20000
"""Candidates: below Linux' default ephemeral range, and below the range that XLearning reserves from."""

_RANGE_FILE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def ephemeral_start(range_file: Path = _RANGE_FILE) -> int:
    """First port that the kernel may give to an outgoing connection."""
    try:
        return int(range_file.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 32768


def is_free(port: int) -> bool:
    """Whether a daemon could listen on this port of the loopback address now.

    Asked with SO_REUSEADDR, as Java does: connections in TIME_WAIT do not count.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def choose(taken: Collection[int], *, tries: int = 2000) -> int:
    """Return a free port that is not in `taken`.

    A port of the ephemeral range could be taken by an outgoing connection before the daemon binds it, so
    the choice stays below that range where the system leaves room for it.

    Raises
    ------
    MiniHadoopError
        None of `tries` random candidates was free.
    """
    high = min(HIGH, ephemeral_start())
    if high - LOW < 500:
        high = HIGH
    for port in random.choices(range(LOW, high), k=tries):
        if port not in taken and is_free(port):
            return port
    raise MiniHadoopError(
        f"no free port between {LOW} and {high}: end programs that listen there, then try again"
    )


def assign(names: Collection[str], kept: dict[str, int]) -> dict[str, int]:
    """Give each name a port: the one it had if that is still free, else another one."""
    ports: dict[str, int] = {}
    for name in names:
        before = kept.get(name)
        if before is not None and before not in ports.values() and is_free(before):
            ports[name] = before
        else:
            ports[name] = choose({*ports.values(), *kept.values()})
    return ports
