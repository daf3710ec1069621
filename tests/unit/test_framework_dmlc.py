"""MXNET and XFLOW: scheduler, servers and workers, and the variables that bring them together."""

from __future__ import annotations

import pytest

from xlearning.config import load
from xlearning.frameworks import framework
from xlearning.frameworks.base import Crew, Rules, Setup
from xlearning.job import PS, SCHEDULER, WORKER, JobSpec, Member, RoleSpec, Task

CONFIG = load(environ={}, overrides=[("xlearning.scheduler.memory", "2g"), ("xlearning.ps.cores", "3")])
CLUSTER = {
    SCHEDULER: (Member("node3", (21234,), "10.0.0.3"),),
    PS: (Member("node1", (21000,), "10.0.0.1"),),
    WORKER: (Member("node1", (22017,), "10.0.0.1"), Member("node2", (25001,), "10.0.0.2")),
}


def make_job(app_type: str, ps: int = 1, **env: str) -> JobSpec:
    roles = framework(app_type).roles(Crew(2, ps, False), CONFIG)
    return JobSpec(
        "application_1_1", "n", app_type, "me", ("./train",), roles, "file:///s", "file://", env=env
    )


def setup(app_type: str, role: str, index: int, ps: int = 1, **env: str) -> Setup:
    cluster = CLUSTER if ps else {SCHEDULER: CLUSTER[SCHEDULER], WORKER: CLUSTER[WORKER]}
    return framework(app_type).setup(make_job(app_type, ps, **env), CONFIG, Task(role, index, 1), cluster)


def rules(app_type: str, ps: int = 1) -> Rules:
    return framework(app_type).rules(make_job(app_type, ps), CONFIG)


ROOT = {
    "DMLC_PS_ROOT_URI": "10.0.0.3",
    "DMLC_PS_ROOT_PORT": "21234",
    "DMLC_NUM_WORKER": "2",
    "DMLC_NUM_SERVER": "1",
}


@pytest.mark.parametrize(
    ("role", "index", "own"),
    [
        (WORKER, 1, {"DMLC_ROLE": "worker", "DMLC_WORKER_ID": "1", "DMLC_NODE_HOST": "10.0.0.2"}),
        (PS, 0, {"DMLC_ROLE": "server", "DMLC_SERVER_ID": "0", "DMLC_NODE_HOST": "10.0.0.1"}),
        (SCHEDULER, 0, {"DMLC_ROLE": "scheduler", "DMLC_NODE_HOST": "10.0.0.3"}),
    ],
)
def test_variables_of_mxnet(role: str, index: int, own: dict[str, str]) -> None:
    assert setup("MXNET", role, index) == Setup({"INDEX": str(index), **ROOT, **own})


def test_all_run_the_users_command_as_a_gang() -> None:
    for app_type in ("MXNET", "XFLOW"):
        found = rules(app_type)
        assert found.gang
        assert found.ports == {SCHEDULER: 1, PS: 1, WORKER: 1}
        assert found.service_roles == {SCHEDULER, PS}
        assert found.upload_roles == {WORKER}
        assert not found.lent_ports


def test_roles_and_their_resources() -> None:
    assert make_job("MXNET").roles == (
        RoleSpec(SCHEDULER, 1, 2048, 1),
        RoleSpec(PS, 1, 1024, 3),
        RoleSpec(WORKER, 2, 1024, 1),
    )


def test_mxnet_without_servers_is_independent_workers() -> None:
    assert make_job("MXNET", ps=0).roles == (RoleSpec(WORKER, 2, 1024, 1),)
    assert rules("MXNET", ps=0) == Rules(max_failure_rate=0.5)
    single = framework("MXNET").setup(make_job("MXNET", 0), CONFIG, Task(WORKER, 1, 1), {})
    assert single == Setup({"INDEX": "1"})


def test_workers_that_were_not_given_servers_are_told_so() -> None:
    for app_type, count in (("MXNET", 1), ("LIGHTLDA", 1), ("XFLOW", 0)):
        notes = framework(app_type).notes(Crew(2, 0, False), CONFIG)
        assert len([note for note in notes if "(--ps-num lets them train one)" in note]) == count
    assert not framework("MXNET").notes(Crew(2, 1, False), CONFIG)
    assert not framework("MXNET").notes(Crew(1, 0, False), CONFIG)


def test_xflow_has_a_scheduler_even_without_servers() -> None:
    assert [role.name for role in make_job("XFLOW", ps=0).roles] == [SCHEDULER, WORKER]
    assert rules("XFLOW", ps=0).gang
    assert setup("XFLOW", WORKER, 0, ps=0).env["DMLC_NUM_SERVER"] == "0"


def test_heap_profiles_of_xflow() -> None:
    assert setup("XFLOW", WORKER, 1).env["HEAPPROFILE"] == "./W1"
    assert setup("XFLOW", PS, 0).env["HEAPPROFILE"] == "./S0"
    assert "HEAPPROFILE" not in setup("XFLOW", SCHEDULER, 0).env
    assert setup("XFLOW", SCHEDULER, 0).env == setup("MXNET", SCHEDULER, 0).env


def test_an_interface_of_the_users_choice_is_left_alone() -> None:
    assert "DMLC_NODE_HOST" not in setup("MXNET", WORKER, 0, DMLC_INTERFACE="ib0").env


def test_an_address_that_only_its_own_host_reaches_is_not_told_to_others() -> None:
    own = Member("node1", (21000,), "127.0.1.1")
    kind, job = framework("XFLOW"), make_job("XFLOW", 0)
    alone = {SCHEDULER: (own,), WORKER: (own, own)}
    apart = {SCHEDULER: (own,), WORKER: (own, Member("node2", (21000,), "127.0.1.1"))}
    for cluster, uri, host in ((alone, "127.0.1.1", "127.0.1.1"), (apart, "node1", None)):
        env = kind.setup(job, CONFIG, Task(WORKER, 0, 1), cluster).env
        assert (env["DMLC_PS_ROOT_URI"], env.get("DMLC_NODE_HOST")) == (uri, host)
