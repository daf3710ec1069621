"""How the programs of a job find one another where they need addresses, not names."""

from __future__ import annotations

from xlearning.errors import ClusterError
from xlearning.job import ClusterMap, Member


def reachable(member: Member, cluster: ClusterMap) -> str:
    """Address of a task for the others: an IP, or the name where they would not find it by that."""
    return member.host if not member.ip or _leads_back(member, cluster) else member.ip


def numeric(member: Member, cluster: ClusterMap) -> str:
    """The IP of a task, for programs that take no names.

    Raises
    ------
    ClusterError
        Others would not find it by that: they would wait for it, some of them for hours.
    """
    if _leads_back(member, cluster):
        raise ClusterError(
            f"node {member.host} takes its own name for {member.ip}, where other nodes do not find it",
            hint="let the name lead to its address in the network there (/etc/hosts)",
        )
    return member.ip


def _leads_back(member: Member, cluster: ClusterMap) -> bool:
    """Whether the IP is one that only its own host reaches, as where Debian writes ``/etc/hosts``.

    Nodes with different loopback addresses are on one machine, and find one another.
    """
    if not member.ip.startswith("127."):
        return False
    members = [each for members in cluster.values() for each in members]
    others = {each.ip or each.host for each in members if each.host != member.host}
    return any(ip == member.ip or not ip.startswith("127.") for ip in others)
