"""Who a container is within its job, and where the others are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """Who a container is: role and index within the job, and how often that place was filled anew.

    Attributes
    ----------
    role : str
        As the program sees it: a separate chief is ``worker`` with index 0.
    generation : int
        Counts replacements of one (role, index), from 1.
    """

    role: str
    index: int
    generation: int
    chief: bool = False

    def __str__(self) -> str:
        return f"{self.role}:{self.index}"


@dataclass(frozen=True)
class Member:
    """Where one task of the job is.

    Attributes
    ----------
    host : str
        Name or address by which the others reach its node.
    ports : tuple of int
        Those that were reserved for it.
    ip : str
        Address that its ports are bound on; empty where none was reserved.
    """

    host: str
    ports: tuple[int, ...] = ()
    ip: str = ""

    @property
    def port(self) -> int:
        """The first port; 0 where none was reserved."""
        return self.ports[0] if self.ports else 0

    @property
    def address(self) -> str:
        """``host:port``; empty where no port was reserved."""
        return f"{self.host}:{self.port}" if self.ports else ""


ClusterMap = Mapping[str, tuple[Member, ...]]
"""Role -> its members, in order of index."""
