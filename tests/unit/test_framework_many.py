"""What each type tells its programs of twelve workers, on hosts with names as administrators give them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from xlearning.am.core.tasks import fill, slots
from xlearning.config import Config
from xlearning.frameworks import framework
from xlearning.frameworks.base import Crew, Setup
from xlearning.job import PS, SCHEDULER, WORKER, ClusterMap, JobSpec, Member, Task

COUNT = 12
HOSTS = tuple(f"GPU_{number % 3}.Example.COM" for number in range(COUNT))
STRATEGY = {"xlearning.tf.distribution.strategy": "true", "xlearning.worker.num": str(COUNT)}


def place(role: str, index: int) -> str:
    return f"{HOSTS[index]}:{port(role, index)}"


def port(role: str, index: int) -> int:
    return {PS: 20000, WORKER: 21000, SCHEDULER: 22000}[role] + index


def ip(index: int) -> str:
    return f"10.0.0.{index}"


def members(role: str, count: int) -> tuple[Member, ...]:
    return tuple(Member(HOSTS[index], (port(role, index),), ip(index)) for index in range(count))


CLUSTER: ClusterMap = {
    SCHEDULER: members(SCHEDULER, 1),
    PS: members(PS, COUNT),
    WORKER: members(WORKER, COUNT),
}
WORKERS = [place(WORKER, index) for index in range(COUNT)]
SERVERS = [place(PS, index) for index in range(COUNT)]


def told(app_type: str, task: Task, properties: Mapping[str, str], ps: int) -> Setup:
    type_, config = framework(app_type), Config.from_properties(dict(properties))
    roles = type_.roles(Crew(COUNT, ps, False), config)
    job = JobSpec("application_1_0001", "n", app_type, "me", ("run",), roles, "file:///s", "file://")
    names = {PS, WORKER, SCHEDULER} - (set() if ps else {PS})
    return type_.setup(job, config, task, {name: CLUSTER[name] for name in names})


Reading = Callable[[Setup], object]
_CASES: list[tuple[str, dict[str, str], int, Reading, object]] = [
    (
        "TENSORFLOW",
        {},
        COUNT,
        lambda setup: json.loads(setup.env["TF_CLUSTER_DEF"]),
        {"worker": WORKERS, "ps": SERVERS},
    ),
    (
        "TENSORFLOW",
        {},
        COUNT,
        lambda setup: json.loads(setup.env["TF_CONFIG"]),
        {"cluster": {"worker": WORKERS, "ps": SERVERS}, "task": {"type": "worker", "index": 10}},
    ),
    (
        "TENSORFLOW",
        {**STRATEGY, "xlearning.chief.worker.memory": "9g"},
        0,
        lambda setup: json.loads(setup.env["TF_CONFIG"]),
        {"cluster": {"chief": WORKERS[:1], "worker": WORKERS[1:]}, "task": {"type": "worker", "index": 9}},
    ),
    (
        "TENSOR2TENSOR",
        {},
        COUNT,
        lambda setup: json.loads(setup.env["TF_CONFIG"])["cluster"],
        {"master": WORKERS, "ps": SERVERS},
    ),
    (
        "DISTTORCH",
        {},
        0,
        lambda setup: [setup.env[name] for name in ("RANK", "MASTER_ADDR", "INIT_METHOD")],
        ["10", HOSTS[0], f"tcp://{ip(0)}:{port(WORKER, 0)}"],
    ),
    (
        "DISTLIGHTGBM",
        {},
        0,
        lambda setup: setup.files["lightGBMlist.txt"].splitlines(),
        [f"{ip(index)} {port(WORKER, index)}" for index in range(COUNT)],
    ),
    (
        "LIGHTLDA",
        {},
        COUNT,
        lambda setup: setup.files["lightLDAEndPoints.txt"].splitlines(),
        [f"{index} {ip(index)}:{port(PS, index)}" for index in range(COUNT)],
    ),
    (
        "MXNET",
        {},
        COUNT,
        lambda setup: [setup.env[name] for name in ("DMLC_WORKER_ID", "DMLC_NODE_HOST", "DMLC_NUM_SERVER")],
        ["10", ip(10), str(COUNT)],
    ),
    (
        "DISTXGBOOST",
        {},
        0,
        lambda setup: [setup.env[name] for name in ("DMLC_TASK_ID", "DMLC_TRACKER_URI", "DMLC_NUM_WORKER")],
        ["10", ip(0), str(COUNT)],
    ),
]


@pytest.mark.parametrize(("app_type", "properties", "ps", "read", "wanted"), _CASES)
def test_worker_10(app_type: str, properties: dict[str, str], ps: int, read: Reading, wanted: object) -> None:
    assert read(told(app_type, Task(WORKER, 10, 1), properties, ps)) == wanted


def test_worker_10_follows_worker_9() -> None:
    """Numbers are given in the order of hosts and containers; those of ten and more are not text."""
    roles = framework("XLEARNING").roles(
        Crew(COUNT, 0, False), Config.from_properties({"xlearning.worker.num": "12"})
    )
    granted = [("Host_1", f"container_1_0001_01_{number:06d}") for number in range(COUNT, 0, -1)]
    filled = fill(slots(roles), {WORKER: granted})
    assert [filled[container].index for _, container in reversed(granted)] == list(range(COUNT))
