"""YARN's queues as the ResourceManager's web service shows them, for each of its schedulers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xlearning.cluster.gpus import GPU

SCHEDULER = "/ws/v1/cluster/scheduler"
LABELS = "/ws/v1/cluster/get-node-labels"
METRICS = "/ws/v1/cluster/metrics"
MEMORY, VCORES = "memory-mb", "vcores"

_EVERYBODY = "*"
_SUBMITTING = ("SUBMIT_APP", "SUBMIT_APPLICATIONS", "ADMINISTER_QUEUE")
_SCHEDULERS = {"capacityScheduler": "capacity", "fairScheduler": "fair", "fifoScheduler": "fifo"}


@dataclass(frozen=True)
class Queue:
    """One queue; None where the ResourceManager does not tell.

    Attributes
    ----------
    path : str
        From the root: ``root.team.a``.
    leaf : bool
        Whether applications go there; others only hold queues.
    grows : bool
        Whether YARN makes queues below it by itself.
    state : str
        ``RUNNING``, ``STOPPED``, ``DRAINING``; empty where it is not told.
    access : tuple of str or None
        The access lists of this queue and those above, ``user,user group,group`` each: who is in one of
        them may submit.
    largest : mapping
        What one container may have, by resource; empty where the cluster's maximum holds.
    most : mapping
        Partition (empty: nodes without a label) -> what all containers together can have, by resource.
    share : int or None
        Megabytes that one user of the queue can have.
    labels : tuple of str or None
        Node labels that may be asked for; ``*`` means all.
    full : bool
        Whether it holds as many applications as it takes.
    """

    path: str
    leaf: bool = True
    grows: bool = False
    state: str = ""
    access: tuple[str, ...] | None = None
    largest: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    share: int | None = None
    labels: tuple[str, ...] | None = None
    full: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]


@dataclass(frozen=True)
class Scheduler:
    """A cluster's scheduler: ``capacity``, ``fair``, ``fifo`` or another, and its queues in their order."""

    kind: str
    queues: tuple[Queue, ...] = ()

    def find(self, name: str) -> tuple[Queue, ...]:
        """The queues that a name, or a path from the root, may mean; several where a name is ambiguous."""
        for path in (name, f"root.{name}") if self.kind == "fair" else (name,):
            exact = tuple(queue for queue in self.queues if queue.path == path)
            if exact:
                return exact
        named = tuple(queue for queue in self.queues if queue.name == name)
        return tuple(queue for queue in named if queue.leaf) or named

    def above(self, path: str) -> Queue | None:
        """The nearest queue above a path that is there."""
        known = {queue.path: queue for queue in self.queues}
        while path:
            path = path.rpartition(".")[0]
            if path in known:
                return known[path]
        return None


def read(answer: Any, total: Mapping[str, int]) -> Scheduler:
    """The scheduler in an answer of the web service.

    Parameters
    ----------
    answer : mapping
        What `SCHEDULER` gives.
    total : mapping
        What all nodes have together, by resource: old versions tell shares of it only.
    """
    info = answer["scheduler"]["schedulerInfo"]
    kind = _SCHEDULERS.get(info.get("type", ""), "")
    if kind == "capacity":
        return Scheduler(kind, tuple(_capacity(info, "", (), total)))
    if kind == "fair":
        return Scheduler(kind, tuple(_fair(info["rootQueue"])))
    return Scheduler(kind)


def total(metrics: Any) -> dict[str, int]:
    """What all nodes have together, from what `METRICS` gives."""
    found = metrics["clusterMetrics"]
    return {MEMORY: int(found["totalMB"]), VCORES: int(found["totalVirtualCores"])}


def labels(answer: Any) -> tuple[str, ...]:
    """The names in what `LABELS` gives."""
    entries = _entries((answer or {}).get("nodeLabelInfo"))
    return tuple(sorted(str(entry["name"]) for entry in entries if entry.get("name")))


def allowed(access: Sequence[str] | None, user: str, groups: Sequence[str]) -> bool | None:
    """Whether a user may submit; None where that depends on groups of which only YARN knows the members."""
    if access is None:
        return None
    unknown = False
    for text in access:
        if _EVERYBODY in text:
            return True
        users, _, named = text.partition(" ")
        if user in _names(users) or set(groups) & set(_names(named)):
            return True
        unknown = unknown or bool(_names(named))
    return None if unknown else False


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _capacity(
    info: Any, above: str, lists: tuple[str, ...] | None, total: Mapping[str, int]
) -> Iterator[Queue]:
    path = info.get("queuePath") or ".".join(filter(None, (above, info["queueName"])))
    own = _access(info)
    access = None if own is None or lists is None else (*lists, *own)
    children = _entries((info.get("queues") or {}).get("queue"))
    dynamic = info.get("autoCreationEligibility", "off") != "off" or info.get("autoCreateChildQueueEnabled")
    leaf = not children and not dynamic and info.get("queueType", "leaf") == "leaf"
    parts = list(_partitions(info))
    yield Queue(
        path=path,
        leaf=leaf,
        grows=bool(dynamic),
        state=str(info.get("state") or ""),
        access=access,
        largest=_amounts(info.get("maximumAllocation")),
        most={name: _most(part, total if not name else {}) for name, part in parts},
        share=_share(info, dict(parts).get("")) if leaf else None,
        labels=_labels(info),
        full="maxApplications" in info and int(info["numApplications"]) >= int(info["maxApplications"]),
    )
    for child in children:
        yield from _capacity(child, path, access, total)


def _access(info: Any) -> tuple[str, ...] | None:
    if "queueAcls" not in info:
        return None
    entries = _entries((info["queueAcls"] or {}).get("queueAcl"))
    return tuple(str(each["accessControlList"]) for each in entries if each["accessType"] in _SUBMITTING)


def _partitions(info: Any) -> Iterator[tuple[str, Any]]:
    found = _entries((info.get("capacities") or {}).get("queueCapacitiesByPartition"))
    for part in found:
        yield str(part.get("partitionName") or ""), part
    if not found:
        yield "", info


def _most(part: Any, total: Mapping[str, int]) -> dict[str, int]:
    """Cores count only where the scheduler looks at more than memory, which GPUs make it do."""
    amounts = _amounts(part.get("effectiveMaxResource"))
    if not amounts.get(MEMORY):
        percent = part.get("absoluteMaxCapacity")
        amounts = {MEMORY: int(total[MEMORY] * float(percent) / 100)} if percent and total.get(MEMORY) else {}
    return amounts if GPU in amounts else {MEMORY: amounts[MEMORY]} if MEMORY in amounts else {}


def _share(info: Any, part: Any) -> int | None:
    factor = float(info.get("userLimitFactor") or -1)
    own = _amounts((part or {}).get("effectiveMinResource")).get(MEMORY)
    return int(own * factor) if own and factor > 0 else None


def _labels(info: Any) -> tuple[str, ...] | None:
    return tuple(map(str, info["nodeLabels"])) if isinstance(info.get("nodeLabels"), list) else None


def _fair(info: Any) -> Iterator[Queue]:
    held = info.get("childQueues")
    children = _entries(held.get("queue") if isinstance(held, dict) and "queue" in held else held)
    most = _amounts(info.get("maxResources"))
    yield Queue(
        path=info["queueName"],
        leaf=not children and info.get("type") == "fairSchedulerLeafQueueInfo",
        largest=_amounts(info.get("maxContainerAllocation")),
        most={"": most} if most.get(MEMORY) else {},
    )
    for child in children:
        yield from _fair(child)


def _amounts(resource: Any) -> dict[str, int]:
    """A resource of the web service by names; without what it does not tell."""
    if not resource:
        return {}
    found = {MEMORY: int(resource.get("memory", 0)), VCORES: int(resource.get("vCores", 0))}
    for entry in _entries((resource.get("resourceInformations") or {}).get("resourceInformation")):
        found[str(entry["name"])] = int(entry.get("value", 0))
    return found


def _entries(value: Any) -> list[Any]:
    """The web service writes a list of one as the one."""
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]
