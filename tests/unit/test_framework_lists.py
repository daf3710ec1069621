"""DISTLIGHTGBM and LIGHTLDA: variables and files as the original documents them."""

from __future__ import annotations

import pytest

from xlearning.config import Config
from xlearning.errors import ClusterError
from xlearning.frameworks import framework
from xlearning.frameworks.base import Crew
from xlearning.job import ClusterMap, JobSpec, Member, RoleSpec, Task

CONFIG = Config.from_properties({})
CLUSTER: ClusterMap = {
    "ps": (Member("node3", (21000,), "10.0.0.3"), Member("node4", (22000,), "10.0.0.4")),
    "worker": (Member("node1", (23456,), "10.0.0.1"), Member("node2", (24000,), "10.0.0.2")),
}


def job(app_type: str, **roles: int) -> JobSpec:
    asked = tuple(RoleSpec(name, count, 512, 1) for name, count in roles.items())
    return JobSpec("application_1_0001", "n", app_type, "u", (), asked, "file:///s", "file://")


def test_lightgbm() -> None:
    type_, spec = framework("DISTLIGHTGBM"), job("DISTLIGHTGBM", worker=2)
    rules = type_.rules(spec, CONFIG)
    assert rules.gang
    assert rules.ports == {"worker": 1}
    assert rules.lent_ports == {"worker"}
    setup = type_.setup(spec, CONFIG, Task("worker", 1, 1), {"worker": CLUSTER["worker"]})
    assert setup.env == {
        "INDEX": "1",
        "LIGHTGBM_NUM_MACHINE": "2",
        "LIGHTGBM_LOCAL_LISTEN_PORT": "24000",
    }
    assert setup.files == {"lightGBMlist.txt": "10.0.0.1 23456\n10.0.0.2 24000\n"}
    assert not type_.has_ps


def test_lightlda_with_servers() -> None:
    for name in ("LIGHTLDA", "DISTLIGHTLDA"):
        type_, spec = framework(name), job(name, ps=2, worker=2)
        rules = type_.rules(spec, CONFIG)
        assert rules.gang
        assert rules.ports == {"ps": 1}
        assert rules.service_grace == 600
        assert {"ps", "worker"} == rules.upload_roles
        server = type_.setup(spec, CONFIG, Task("ps", 1, 1), CLUSTER)
        assert server.env == {
            "INDEX": "1",
            "LIGHTLDA_RANK": "1",
            "LIGHTLDA_ROLE": "ps",
            "LIGHTLDA_WORKER_NUM": "2",
            "LIGHTLDA_SERVER_NUM": "2",
            "LIGHTLDA_SERVER_ENDPOINT": "10.0.0.4:22000",
        }
        assert not server.files
        worker = type_.setup(spec, CONFIG, Task("worker", 0, 1), CLUSTER)
        assert worker.env == {
            "INDEX": "0",
            "LIGHTLDA_RANK": "0",
            "LIGHTLDA_ROLE": "worker",
            "LIGHTLDA_WORKER_NUM": "2",
            "LIGHTLDA_SERVER_NUM": "2",
        }
        endpoints = "0 10.0.0.3:21000\n1 10.0.0.4:22000\n"
        assert worker.files == {"lightLDAEndPoints.txt": endpoints, "lightLdaEndPoints.txt": endpoints}
        assert [role.name for role in type_.roles(Crew(2, 2, False), CONFIG)] == ["ps", "worker"]


def test_lightlda_without_servers() -> None:
    type_, spec = framework("LIGHTLDA"), job("LIGHTLDA", worker=2)
    rules = type_.rules(spec, CONFIG)
    assert not rules.gang
    assert not rules.ports
    cluster = {"worker": (Member("node1"), Member("node2"))}
    setup = type_.setup(spec, CONFIG, Task("worker", 1, 1), cluster)
    assert setup.env == {"INDEX": "1", "LIGHTLDA_RANK": "1", "LIGHTLDA_ROLE": "worker"}
    assert not setup.files


@pytest.mark.parametrize("name", ["DISTLIGHTGBM", "LIGHTLDA"])
def test_an_address_that_only_its_own_host_reaches_is_named(name: str) -> None:
    type_, spec = framework(name), job(name, ps=1, worker=1)
    one, other = Member("node1", (21000,), "127.0.1.1"), Member("node2", (21000,), "127.0.1.1")
    assert type_.setup(spec, CONFIG, Task("worker", 0, 1), {"ps": (one,), "worker": (one,)}).files
    same_machine = {"ps": (one,), "worker": (one, Member("node2", (21000,), "127.0.0.2"))}
    assert type_.setup(spec, CONFIG, Task("worker", 0, 1), same_machine).files
    for elsewhere in (other, Member("node2", (21000,), "10.0.0.2")):
        with pytest.raises(ClusterError, match=r"node node1 takes its own name for 127.0.1.1"):
            type_.setup(spec, CONFIG, Task("worker", 0, 1), {"ps": (one,), "worker": (one, elsewhere)})
