"""Why an application waits on YARN, in words: for its ApplicationMaster, or for containers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from xlearning.cluster.yarn_words import first_cause
from xlearning.errors import ClusterError
from xlearning.units import format_bytes

_METRICS, _SCHEDULER = "/ws/v1/cluster/metrics", "/ws/v1/cluster/scheduler"
_GPU = "yarn.io/gpu"
_DEFAULT = "<DEFAULT_PARTITION>"
_FULL = 99.0  # per cent of what a queue may have
_FACT = re.compile(r"([A-Z][^=;<>]*?) = (<[^>]*>|[^;]*?) *(?:;|$)")
_STAMP = re.compile(r"^\[\w{3} \w{3} [^\]]*\]\s*")
_RESOURCE = re.compile(r"<memory:(\d+), vCores:(\d+)[^>]*>")
_STARTING = ("AM container is launched", "Scheduler has assigned a container for AM")
_EMPTY = "cluster resource is empty"
_AM_MEMORY = "--am-memory"


def for_master(diagnostics: str) -> str:
    """Why there is no ApplicationMaster yet, from an application's diagnostics; empty where it just starts.

    Other schedulers than the CapacityScheduler are quoted.
    """
    text, _, details = _STAMP.sub("", diagnostics.strip()).partition(" Details :")
    facts = {name.strip(): value.strip() for name, value in _FACT.findall(details)}
    if not text.strip() or any(words in text for words in _STARTING):
        return ""
    if _EMPTY in text:
        return "YARN has no node that runs"
    if "Queue's AM resource limit exceeded" in text:
        return _at_limit("the queue", facts, "Queue Resource Limit for AM", "Queue AM Resource Usage")
    if "User's AM resource limit exceeded" in text:
        return _at_limit("your share of the queue", facts, "User AM Resource Limit of the queue", "")
    if "Application is Activated" in text:
        return _no_place(facts)
    if "not yet activated" in text:
        return "the queue has not activated it yet"
    return first_cause(text)


def _at_limit(whose: str, facts: Mapping[str, str], limit: str, usage: str) -> str:
    allowed = _memory(facts.get(limit, ""))
    taken, asked = _memory(facts.get(usage, "")), _memory(facts.get("AM Resource Request", ""))
    numbers = [f"{taken} of {allowed} are taken" if taken and allowed else f"{allowed} are allowed"]
    if asked:
        numbers.append(f"this one asks for {asked} ({_AM_MEMORY})")
    told = f": {', '.join(numbers)}" if allowed else ""
    return f"{whose} has reached its limit for ApplicationMasters{told}; it starts when another one ends"


def _no_place(facts: Mapping[str, str]) -> str:
    """It may start, and no node has room for it."""
    label, there = facts.get("AM Partition", _DEFAULT), facts.get("Partition Resource", "")
    where = "no node" if label in ("", _DEFAULT) else f"no node with the label {label}"
    if there.startswith("<memory:0,"):
        return f"{where} runs"
    used, allowed = (_percent(facts.get(f"Queue's Absolute {name} capacity", "")) for name in ("used", "max"))
    told = _queue(used, allowed)
    return f"{where} has room for it" + (f" ({told})" if told else "")


def for_containers(get: Callable[[str], Any], path: str) -> str:
    """What containers YARN has still to give an application that runs, and what there is.

    Parameters
    ----------
    get : callable
        Path -> parsed answer of the ResourceManager's web service.
    path : str
        That of the application.

    Raises
    ------
    ClusterError
        It cannot be asked.
    """
    app = get(path)["app"]
    pending = _pending(app.get("resourceRequests") or ())
    if not pending:
        return ""
    asked = ", ".join(f"{count} x ({what})" for what, count in pending.items())
    facts = [fact for fact in (_queue_now(get, str(app.get("queue") or "")), _free(get)) if fact]
    return f"YARN has still to give {asked}" + (f" ({'; '.join(facts)})" if facts else "")


def _pending(requests: Any) -> Counter[str]:
    """Container in words -> how many; each host and rack that is asked for has a request of its own."""
    found: Counter[str] = Counter()
    for request in requests:
        count = int(request.get("numContainers") or 0)
        if request.get("resourceName", "*") == "*" and count > 0:
            found[_container(request)] += count
    return found


def _container(request: Mapping[str, Any]) -> str:
    capability = request.get("capability") or {}
    cores = int(capability.get("vCores") or 0)
    listed = (capability.get("resourceInformations") or {}).get("resourceInformation") or []
    gpus = sum(int(one.get("value") or 0) for one in listed if one.get("name") == _GPU)
    memory = format_bytes(int(capability.get("memory") or 0) << 20)
    parts = [memory, f"{cores} core{'' if cores == 1 else 's'}"]
    if gpus:
        parts.append(f"{gpus} GPU{'' if gpus == 1 else 's'}")
    label = request.get("nodeLabelExpression")
    return ", ".join(parts) + (f", on a node with the label {label}" if label else "")


def _queue_now(get: Callable[[str], Any], path: str) -> str:
    """How full a queue is; empty where it cannot be told."""
    name = path.rpartition(".")[2]
    try:
        top = get(_SCHEDULER)["scheduler"]["schedulerInfo"]
        found = next((one for one in _leaves(top) if one.get("queueName") == name), None)
        if found is None:
            return ""
        return _queue(found.get("absoluteUsedCapacity"), found.get("absoluteMaxCapacity"), f"queue {name}")
    except (ClusterError, OSError, LookupError, TypeError):
        return ""


def _leaves(queue: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    below = (queue.get("queues") or {}).get("queue") or []
    if not below:
        yield queue
    for one in below:
        yield from _leaves(one)


def _queue(used: float | None, allowed: float | None, name: str = "the queue") -> str:
    if used is None or not allowed:
        return ""
    full = ", which is all it may" if used >= allowed * _FULL / 100 else f" of the {allowed:.0f}% it may"
    return f"{name} uses {used:.0f}% of the cluster{full}"


def _free(get: Callable[[str], Any]) -> str:
    try:
        found = get(_METRICS)["clusterMetrics"]
        memory, cores = int(found["availableMB"]), int(found["availableVirtualCores"])
    except (ClusterError, OSError, LookupError, TypeError, ValueError):
        return ""
    return f"{format_bytes(memory << 20)} and {cores} cores are free on all nodes together"


def _memory(resource: str) -> str:
    match = _RESOURCE.match(resource)
    return format_bytes(int(match.group(1)) << 20) if match else ""


def _percent(text: str) -> float | None:
    try:
        return float(text.rstrip(" %"))
    except ValueError:
        return None
