"""What YARN's ResourceManager knows of an application beyond its report: containers, logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xlearning.cluster.base import KnownContainer
from xlearning.cluster.resource_manager import APPS, ResourceManagerWeb
from xlearning.errors import ClusterError


def containers(web: ResourceManagerWeb, app_id: str) -> Sequence[KnownContainer]:
    """Containers of an application, by id: those that run, and the ApplicationMasters of all attempts."""
    found: dict[str, KnownContainer] = {}
    attempts = _listed(web.get(f"{APPS}/{app_id}/appattempts"), "appAttempts", "appAttempt")
    for attempt in attempts:
        container_id = str(attempt.get("containerId") or "")
        if not container_id:
            continue
        state = str(attempt.get("appAttemptState") or "")
        found[container_id] = _container(container_id, attempt, state, master=True)
        if state != "RUNNING":
            continue
        name = f"{app_id.replace('application', 'appattempt', 1)}_{int(attempt['id']):06d}"
        try:
            answer = web.get(f"{APPS}/{app_id}/appattempts/{name}/containers")
        except (ClusterError, FileNotFoundError):  # the attempt has ended meanwhile
            continue
        for record in _listed(answer, "containers", "container"):
            one = _container(
                str(record.get("containerId")), record, str(record.get("containerState")), master=False
            )
            found.setdefault(one.id, one)
    return sorted(found.values(), key=lambda one: one.id)


def aggregation(web: ResourceManagerWeb, app_id: str) -> str:
    """How far YARN is with gathering logs: ``DISABLED``, ``RUNNING``, ``SUCCEEDED``, ...; empty: unknown."""
    return str(web.get(f"{APPS}/{app_id}")["app"].get("logAggregationStatus") or "")


def _container(container_id: str, record: Mapping[str, Any], state: str, *, master: bool) -> KnownContainer:
    address = str(record.get("nodeHttpAddress") or "")
    web = address if not address or "://" in address else f"http://{address}"
    host = web.partition("://")[2].rpartition(":")[0]
    return KnownContainer(container_id, host, state, web, master=master)


def _listed(answer: Any, outer: str, inner: str) -> list[Mapping[str, Any]]:
    """The records of an answer that may be wrapped once, twice, or be a single one."""
    if isinstance(answer, Mapping) and outer in answer:
        answer = answer[outer]
    if isinstance(answer, Mapping):
        answer = answer.get(inner)
    if isinstance(answer, Mapping):
        return [answer]
    return list(answer or ())
