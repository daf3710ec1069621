"""Ports that are set aside for a program and stay its own until the container ends.

Each is a socket that is bound and never listens, with SO_REUSEADDR and SO_REUSEPORT both: a later
socket of the same user that sets either option can bind the port and listen, nobody is handed it by
chance meanwhile.
"""

from __future__ import annotations

import errno
import random
import socket
from collections.abc import Iterator

from xlearning.errors import XLearningError

PROPERTY_BEGIN, PROPERTY_END = "xlearning.reserve.port.begin", "xlearning.reserve.port.end"


class HeldPort:
    """One reserved port; free again after `release` or when this process ends.

    Attributes
    ----------
    host : str
        Name or address that it was asked for by.
    ip : str
        Address it is bound on.
    port : int
        Number of the port.
    """

    def __init__(self, host: str, ip: str, port: int, holder: socket.socket, lock: socket.socket) -> None:
        self.host = host
        self.ip = ip
        self.port = port
        self._holder = holder
        self._lock = lock

    def lend(self) -> None:
        """Unbind the port for a program that cannot share it; our other agents still leave it alone."""
        self._holder.close()

    def release(self) -> None:
        """Give the port back; may be called twice."""
        self._holder.close()
        self._lock.close()

    def __repr__(self) -> str:
        return f"HeldPort({self.host!r}, {self.port})"


def reserve(host: str, count: int, begin: int, end: int) -> list[HeldPort]:
    """Hold ``count`` different ports of ``host`` out of [``begin``, ``end``).

    Parameters
    ----------
    host : str
        Name or address of this machine that others reach it by.
    count : int
        How many.
    begin, end : int
        The range, ``end`` not included. The search starts anywhere in it and tries each port once.

    Raises
    ------
    XLearningError
        The range is no range of ports or has too few free ones, or the host is not this machine.
    """
    if not 0 < begin < end <= 65536:
        raise XLearningError(
            f"ports {begin} to {end} are no range of ports",
            hint=f"set {PROPERTY_BEGIN} and {PROPERTY_END} to numbers between 1 and 65536",
        )
    family, address = _resolve(host)
    held: list[HeldPort] = []
    try:
        for port in _search(begin, end) if count > 0 else ():
            found = _hold(host, family, address, port)
            if found is not None:
                held.append(found)
                if len(held) == count:
                    return held
        if count <= 0:
            return held
        raise XLearningError(
            f"only {len(held)} of {count} ports are free on {host} in {begin} to {end - 1}",
            hint=f"widen the range with {PROPERTY_BEGIN} and {PROPERTY_END}",
        )
    except BaseException:
        for one in held:
            one.release()
        raise


def _search(begin: int, end: int) -> Iterator[int]:
    size = end - begin
    start = random.SystemRandom().randrange(size)
    return (begin + (start + step) % size for step in range(size))


def _resolve(host: str) -> tuple[socket.AddressFamily, str]:
    """The address to bind on: of IPv4 where the name has one.

    Hadoop, by which hosts reach each other, knows no other, and neither do ps-lite, LightGBM and LightLDA.
    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise XLearningError(
            f"the address of host {host!r} is unknown: {error.strerror}",
            hint="the name of a node must resolve on the node itself",
        ) from error
    family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    return family, str(address[0])


def _hold(host: str, family: socket.AddressFamily, address: str, port: int) -> HeldPort | None:
    """The port, or None if somebody has it."""
    lock = _lock(port)
    if lock is None:
        return None
    try:
        if _is_free(port):
            holder = _bind(family, address, port, shared=True)
            if holder is not None:
                return HeldPort(host, address, port, holder, lock)
    except OSError as error:
        lock.close()
        raise XLearningError(
            f"no port can be bound on {host} ({address}): {error.strerror}",
            hint="the host must be a name or an address of this machine",
        ) from error
    lock.close()
    return None


def _lock(port: int) -> socket.socket | None:
    """Exclusion between our own agents, which could otherwise hold the same port side by side.

    Binding an abstract Unix address succeeds for one socket per machine (network namespace, exactly
    as for ports), whoever its user is, leaves no file behind and ends with its process.
    """
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        lock.bind(f"\0xlearning-port-{port}")
    except OSError as error:
        lock.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    return lock


def _is_free(port: int) -> bool:
    """Whether nobody has the port on any address of this machine.

    Without the options a bind fails beside any other socket. On all addresses, because a program is
    free to listen on all of them.
    """
    dual = socket.has_dualstack_ipv6()
    family, address = (socket.AF_INET6, "::") if dual else (socket.AF_INET, "0.0.0.0")
    probe = _bind(family, address, port, shared=False)
    if probe is None:
        return False
    probe.close()
    return True


def _bind(family: socket.AddressFamily, address: str, port: int, *, shared: bool) -> socket.socket | None:
    holder = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family == socket.AF_INET6:
            holder.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        if shared:
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind((address, port))
    except OSError as error:
        holder.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return None
        raise
    return holder
