"""What roles ask YARN for beside memory and cores, and how much one container may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from xlearning.cluster.gpus import GPU
from xlearning.config import Config
from xlearning.errors import ClusterError
from xlearning.job import PS

PRIORITIES = ("DEFAULT", "VERY_LOW", "LOW", "NORMAL", "HIGH", "VERY_HIGH")  # 0 to 5, as in the original
_NODES = "/ws/v1/cluster/nodes?states=RUNNING"
_MEMORY, _VCORES = "yarn.scheduler.maximum-allocation-mb", "yarn.scheduler.maximum-allocation-vcores"
_ATTEMPTS = ("yarn.resourcemanager.am.global.max-attempts", "yarn.resourcemanager.am.max-attempts")


def node_label(role: str, config: Config) -> str:
    """Node label expression of a role, or of ``am``; empty where there is none."""
    name = role if role in (PS, "am") else "worker"
    own = config.get(f"xlearning.{name}.nodeLabelExpression")
    return own or config.get("xlearning.job.labelname") or ""


def priority(config: Config) -> int | None:
    """The application's priority; None where it is not set.

    Raises
    ------
    ValueError
        It is neither a number nor one of the original's names.
    """
    text = (config.get("xlearning.app.priority") or "").strip().upper()
    if not text:
        return None
    return PRIORITIES.index(text) if text in PRIORITIES else _number(text)


def _number(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


@dataclass(frozen=True)
class Limits:
    """What YARN gives one container, and how often it starts an application; None: not known.

    Attributes
    ----------
    gpus : int or None
        0 where YARN knows no GPUs.
    """

    memory_mb: int | None = None
    vcores: int | None = None
    gpus: int | None = None
    attempts: int | None = None


def ask(get: Callable[[str], Any]) -> Limits:
    """The limits of a cluster, as far as its web service tells them.

    Parameters
    ----------
    get : callable
        Path -> parsed answer of the ResourceManager's web service.
    """
    nodes = _nodes(get)
    memory = [setting(get, _MEMORY), *_largest(nodes, "MemoryMB", "availMemoryMB")]
    vcores = [setting(get, _VCORES), *_largest(nodes, "VirtualCores", "availableVirtualCores")]
    attempts = [setting(get, name) for name in _ATTEMPTS]
    return Limits(
        memory_mb=min((value for value in memory if value), default=None),
        vcores=min((value for value in vcores if value), default=None),
        gpus=_gpus(nodes),
        attempts=next((value for value in attempts if value), None),
    )


def _nodes(get: Callable[[str], Any]) -> list[Any]:
    try:
        return list((get(_NODES).get("nodes") or {}).get("node") or [])
    except (ClusterError, OSError):
        return []


def setting(get: Callable[[str], Any], name: str) -> int | None:
    """A positive number of the ResourceManager's own configuration, which the gateway's may not know."""
    try:
        value = int(text(get, name))
    except ValueError:
        return None
    return value if value > 0 else None


def text(get: Callable[[str], Any], name: str) -> str:
    """A property of the ResourceManager's own configuration; empty where it is not told."""
    try:
        return str(get(f"/conf?name={quote(name)}")["property"]["value"] or "")
    except (ClusterError, OSError, LookupError, TypeError, ValueError):
        return ""


def _largest(nodes: list[Any], used: str, free: str) -> list[int]:
    found = [int(node.get(f"used{used}", 0)) + int(node.get(free, 0)) for node in nodes]
    return [max(found)] if found else []


def _gpus(nodes: list[Any]) -> int | None:
    found: list[int] = []
    for node in nodes:
        kinds = {
            kind: _of(node, kind).get(GPU, 0)
            for kind in ("usedResource", "availableResource")
            if kind in node
        }
        if len(kinds) < 2:
            return None  # an old version that does not tell
        found.append(sum(kinds.values()))
    return max(found) if found else None


def _of(node: Any, kind: str) -> dict[str, int]:
    listed = (node[kind].get("resourceInformations") or {}).get("resourceInformation") or []
    return {str(entry.get("name")): int(entry.get("value", 0)) for entry in listed}
