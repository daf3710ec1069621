"""Which network interface of this machine leads to another one."""

from __future__ import annotations

import logging
import socket

import psutil

log = logging.getLogger(__name__)

_ANY_PORT = 9  # nothing is sent to it


def interface_to(host: str) -> str | None:
    """Name of the interface that packets to ``host`` leave by; None where that cannot be told.

    Parameters
    ----------
    host : str
        Name or address of a machine, also of this one.
    """
    try:
        found = socket.getaddrinfo(host, _ANY_PORT, type=socket.SOCK_DGRAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as line:
            line.connect(address)  # for datagrams this only looks the route up
            own = str(line.getsockname()[0])
    except OSError as error:
        log.warning("the way to host %s is unknown: %s", host, error)
        return None
    for name, addresses in psutil.net_if_addrs().items():
        for one in addresses:
            if one.family == family and one.address.partition("%")[0] == own:
                return name
    log.warning("no interface has the address %s, by which host %s is reached", own, host)
    return None
