"""Queues as ResourceManagers tell them. The answers are those of real ones, without what is not read."""

from __future__ import annotations

from typing import Any

import pytest

from xlearning.client.preflight import containers, queues
from xlearning.cluster import yarn_queues
from xlearning.cluster.yarn_facts import Facts, ask
from xlearning.cluster.yarn_queues import MEMORY, VCORES, Queue, Scheduler, allowed
from xlearning.config import Config
from xlearning.errors import ClusterUnavailable
from xlearning.job import JobSpec, RoleSpec

FAIR: Any = {  # 3.4.1, before anybody has used a queue
    "scheduler": {
        "schedulerInfo": {
            "type": "fairScheduler",
            "rootQueue": {
                "maxApps": 2147483647,
                "maxResources": {"memory": 16384, "vCores": 32},
                "maxContainerAllocation": {"memory": 8192, "vCores": 4},
                "queueName": "root",
                "schedulingPolicy": "fair",
            },
        }
    }
}


def capacity(**leaf: Any) -> Any:
    """The queue root.a of a version that tells neither paths nor access nor amounts."""
    queue = {
        "type": "capacitySchedulerLeafQueueInfo",
        "queueName": "a",
        "state": "RUNNING",
        "absoluteMaxCapacity": 25.0,
        "numApplications": 3,
        "maxApplications": 10,
        **leaf,
    }
    root = {"type": "capacityScheduler", "queueName": "root", "queues": {"queue": [queue]}}
    return {"scheduler": {"schedulerInfo": root}}


def test_an_old_capacity_scheduler() -> None:
    found = yarn_queues.read(capacity(), {MEMORY: 8000, VCORES: 8})
    assert found.find("a") == found.find("root.a") == (found.queues[1],)
    queue = found.queues[1]
    assert (queue.path, queue.leaf, queue.state, queue.full) == ("root.a", True, "RUNNING", False)
    assert queue.most == {"": {MEMORY: 2000}}  # cores are not counted by default
    assert (queue.access, queue.largest, queue.labels, queue.share) == (None, {}, None, None)


def test_lists_of_access_add_up_from_the_root() -> None:
    def acl(text: str) -> Any:
        return {"queueAcl": [{"accessType": "SUBMIT_APP", "accessControlList": text}]}

    answer = capacity(queueAcls=acl("ann devs"))
    answer["scheduler"]["schedulerInfo"]["queueAcls"] = acl("bob ")
    assert yarn_queues.read(answer, {}).queues[1].access == ("bob ", "ann devs")


@pytest.mark.parametrize(
    ("access", "groups", "answer"),
    [
        (None, (), None),
        ((" ", " "), (), False),
        ((" ", "*"), (), True),
        (("ann,me ",), (), True),
        (("ann devs",), (), None),  # only YARN knows who is in devs
        (("ann devs,ops",), ("ops",), True),
    ],
)
def test_who_may_submit(access: tuple[str, ...] | None, groups: tuple[str, ...], answer: bool | None) -> None:
    assert allowed(access, "me", groups) is answer


def test_a_fair_scheduler_makes_queues_and_limits_them_by_those_above() -> None:
    facts = Facts(scheduler=yarn_queues.read(FAIR, {}))
    config = Config.from_properties({"xlearning.app.queue": "made.up"})
    queue = queues.find(config, facts)
    assert queue is not None
    assert (queue.path, queue.most) == ("root.made.up", {"": {MEMORY: 16384, VCORES: 32}})
    job = JobSpec("", "n", "X", "u", ("true",), (RoleSpec("worker", 40, 1024, 1),), "", "hdfs://h")
    (problem,) = containers.check(job, config, facts, queue)
    assert "queue root.made.up can never have more than 16384" in problem.message
    problems: list[Any] = []
    queues.check(config, facts, "me", problems, [])
    assert problems == []


def test_a_queue_that_its_parent_will_make() -> None:
    scheduler = Scheduler(
        "capacity", (Queue("root", leaf=False), Queue("root.users", leaf=False, grows=True))
    )
    for name, known in (("root.users.me", True), ("users", True), ("me", False)):
        problems: list[Any] = []
        config = Config.from_properties({"xlearning.app.queue": name})
        queues.check(config, Facts(scheduler=scheduler), "me", problems, [])
        assert bool(problems) is not known


def test_what_is_not_told_forbids_nothing() -> None:
    def silent(path: str) -> Any:
        raise ClusterUnavailable(path)

    facts = ask(silent)
    assert facts == Facts()
    problems: list[Any] = []
    queues.check(Config.from_properties({"xlearning.app.queue": "x"}), facts, "me", problems, [])
    assert problems == []
