"""YARN's reasons to wait in words; the texts are those of a real ResourceManager (3.4.1)."""

from __future__ import annotations

from typing import Any

import pytest

from xlearning.cluster.yarn_waiting import for_containers, for_master
from xlearning.errors import ClusterUnavailable

_STAMP = "[Mon Nov 30 02:10:44 +0000 2026] "
_NOT_YET = f"{_STAMP}Application is added to the scheduler and is not yet activated. "
_LIMITS = (
    " Details : AM Partition = <DEFAULT_PARTITION>; AM Resource Request = <memory:1280, vCores:1>; Queue "
    "Resource Limit for AM = <memory:1664, vCores:1>; User AM Resource Limit of the queue = <memory:1664, "
    "vCores:1>; Queue AM Resource Usage = <memory:3840, vCores:3>; "
)
_ACTIVATED = (
    f"{_STAMP}Application is Activated, waiting for resources to be assigned for AM.  Details : AM Partition "
    "= <DEFAULT_PARTITION> ; Partition Resource = <memory:16384, vCores:32> ; Queue's Absolute capacity = "
    "100.0 % ; Queue's Absolute used capacity = 78.125 % ; Queue's Absolute max capacity = 100.0 % ; Queue's "
    "capacity (absolute resource) = <memory:16384, vCores:32> ; "
)


@pytest.mark.parametrize(
    ("diagnostics", "told"),
    [
        ("", ""),
        ("AM container is launched, waiting for AM container to Register with RM", ""),
        (
            f"{_NOT_YET}Queue's AM resource limit exceeded. {_LIMITS}",
            "the queue has reached its limit for ApplicationMasters: 3.8 GiB of 1.6 GiB are taken, this one "
            "asks for 1.2 GiB (--am-memory); it starts when another one ends",
        ),
        (
            f"{_NOT_YET}User's AM resource limit exceeded. {_LIMITS}",
            "your share of the queue has reached its limit for ApplicationMasters: 1.6 GiB are allowed, this "
            "one asks for 1.2 GiB (--am-memory); it starts when another one ends",
        ),
        (
            f"{_NOT_YET}Queue's AM resource limit exceeded. ",
            "the queue has reached its limit for ApplicationMasters; it starts when another one ends",
        ),
        (_NOT_YET, "the queue has not activated it yet"),
        (_ACTIVATED, "no node has room for it (the queue uses 78% of the cluster of the 100% it may)"),
        (
            _ACTIVATED.replace("<DEFAULT_PARTITION>", "gpu").replace(
                "<memory:16384, vCores:32> ; Q", "<memory:0, vCores:0> ; Q", 1
            ),
            "no node with the label gpu runs",
        ),
        (f"{_STAMP}Skipping AM assignment as cluster resource is empty. ", "YARN has no node that runs"),
        (f"{_STAMP}Exceeded maxAMShare. \n\tat org.x.Y(Z)", "Exceeded maxAMShare."),
    ],
)
def test_why_there_is_no_master(diagnostics: str, told: str) -> None:
    assert for_master(diagnostics) == told


def request(count: int, memory: int, **more: Any) -> dict[str, Any]:
    infos = [{"name": name, "value": value} for name, value in more.pop("gpus", {}).items()]
    capability = {"memory": memory, "vCores": 1, "resourceInformations": {"resourceInformation": infos}}
    return {"numContainers": count, "resourceName": "*", "capability": capability, **more}


def answers(requests: list[Any], *, used: float = 78.1, away: bool = False) -> Any:
    leaf = {"queueName": "ml", "absoluteUsedCapacity": used, "absoluteMaxCapacity": 80.0}
    tree = {"queueName": "root", "queues": {"queue": [{"queueName": "x"}, {"queues": {"queue": [leaf]}}]}}
    found = {
        "/app": {"app": {"queue": "root.a.ml", "resourceRequests": requests}},
        "/ws/v1/cluster/scheduler": {"scheduler": {"schedulerInfo": tree}},
        "/ws/v1/cluster/metrics": {"clusterMetrics": {"availableMB": 3584, "availableVirtualCores": 29}},
    }

    def get(path: str) -> Any:
        if away and path != "/app":
            raise ClusterUnavailable("away")
        return found[path]

    return get


def test_what_containers_are_missing_and_what_there_is() -> None:
    same = [request(1, 6016), request(1, 6016), request(2, 6016, resourceName="/rack")]
    assert for_containers(answers(same), "/app") == (
        "YARN has still to give 2 x (5.9 GiB, 1 core) (queue ml uses 78% of the cluster of the 80% it may; "
        "3.5 GiB and 29 cores are free on all nodes together)"
    )
    full = for_containers(answers(same, used=80.0), "/app")
    assert "(queue ml uses 80% of the cluster, which is all it may; " in full


def test_gpus_and_labels_are_named() -> None:
    wanted = [request(1, 1024, gpus={"yarn.io/gpu": 2}, nodeLabelExpression="fast")]
    assert for_containers(answers(wanted, away=True), "/app") == (
        "YARN has still to give 1 x (1.0 GiB, 1 core, 2 GPUs, on a node with the label fast)"
    )


def test_nothing_is_missing() -> None:
    assert for_containers(answers([request(0, 1)]), "/app") == ""
    assert for_containers(lambda path: {"app": {"id": path}}, "/app") == ""
