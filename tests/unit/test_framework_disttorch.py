"""DISTTORCH: its variables, rules and roles."""

from __future__ import annotations

import re

import pytest

from xlearning.am.inputs.plan import InputPlan
from xlearning.am.launch import launch_spec
from xlearning.client.cli import main
from xlearning.config import load
from xlearning.frameworks import framework
from xlearning.frameworks.base import Framework, Setup
from xlearning.job import WORKER, InputStrategy, JobSpec, Member, RoleSpec, Task

NODES = ("node1", "node1", "node2", "node3", "node3")


def told(rank: int, nodes: tuple[str, ...] = NODES, gpus: int = 0, first: str = "10.0.0.0") -> Setup:
    roles = (RoleSpec(WORKER, len(nodes), 1024, 1),)
    job = JobSpec("application_1_0001", "a", "DISTTORCH", "me", ("run",), roles, "file:///s", "file://")
    config = load(overrides=[("xlearning.worker.gpus", str(gpus))], environ={})
    addresses = (first, *(f"10.0.0.{number}" for number in range(1, len(nodes))))
    members = tuple(Member(host, (21000 + n,), addresses[n]) for n, host in enumerate(nodes))
    return framework("DistTorch").setup(job, config, Task(WORKER, rank, 1), {WORKER: members})


def test_what_a_rank_is_told() -> None:
    assert told(4).env == {
        "INDEX": "4",
        "RANK": "4",
        "WORLD_SIZE": "5",
        "MASTER_ADDR": "node1",
        "MASTER_PORT": "21000",
        "LOCAL_RANK": "1",
        "LOCAL_WORLD_SIZE": "2",
        "GROUP_RANK": "2",
        "INIT_METHOD": "tcp://10.0.0.0:21000",
        "master_addr": "10.0.0.0",
        "master_port": "21000",
        "PET_NNODES": "5",
        "PET_NODE_RANK": "4",
        "PET_MASTER_ADDR": "node1",
        "PET_MASTER_PORT": "21000",
    }
    assert not told(4).files
    assert not told(4).command


@pytest.mark.parametrize(
    ("ip", "nodes", "address", "url"),
    [
        ("fd00::1", NODES, "fd00::1", "tcp://[fd00::1]:21000"),
        ("127.0.1.1", NODES, "node1", "tcp://node1:21000"),  # its own name means that on Debian
        ("127.0.0.1", ("localhost", "localhost"), "127.0.0.1", "tcp://127.0.0.1:21000"),
    ],
)
def test_programs_of_hbox_are_told_an_address(
    ip: str, nodes: tuple[str, ...], address: str, url: str
) -> None:
    env = told(1, nodes, first=ip).env
    assert (env["master_addr"], env["INIT_METHOD"]) == (address, url)


@pytest.mark.parametrize(
    ("gpus", "places"),
    [
        (0, [("0", "2", "0"), ("1", "2", "0"), ("0", "1", "1"), ("0", "2", "2"), ("1", "2", "2")]),
        (2, [("0", "1", str(rank)) for rank in range(5)]),
    ],
)
def test_ranks_that_share_a_host(gpus: int, places: list[tuple[str, ...]]) -> None:
    names = ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK")
    assert [tuple(told(rank, gpus=gpus).env[name] for name in names) for rank in range(5)] == places


def test_the_interface_is_the_one_to_another_host_if_there_is_one() -> None:
    hosts = [told(rank).interfaces["GLOO_SOCKET_IFNAME"] for rank in range(5)]
    assert hosts == ["node2", "node2", "node1", "node1", "node1"]
    assert told(1, ("node1", "node1")).interfaces == {"GLOO_SOCKET_IFNAME": "node1"}


def test_the_user_may_choose_the_interface() -> None:
    roles, env = (RoleSpec(WORKER, 1, 1024, 1),), {"GLOO_SOCKET_IFNAME": "ib0"}
    job = JobSpec("application_1_0001", "a", "DISTTORCH", "me", ("run",), roles, "", "", env=env)
    plan, cluster = InputPlan(InputStrategy.DOWNLOAD, {}, ()), {WORKER: (Member("node1", (21000,)),)}
    spec = launch_spec(job, load(environ={}), plan, Task(WORKER, 0, 1), cluster)
    assert (spec.env["GLOO_SOCKET_IFNAME"], spec.interfaces) == ("ib0", {"GLOO_SOCKET_IFNAME": "node1"})


def test_every_rank_is_needed_and_holds_a_port() -> None:
    job = JobSpec("application_1_0001", "a", "DISTTORCH", "me", ("run",), (), "", "")
    rules = framework("DISTTORCH").rules(job, load(environ={}))
    assert (rules.gang, rules.ports, rules.lent_ports) == (True, {WORKER: 1}, frozenset())


def test_it_is_made_of_workers_only(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--local", "--dry-run", "--app-type", "DistTorch", "--worker-num", "3"]
    assert main([*words, "train"]) == 0
    assert re.search("^ +worker +3 x ", capsys.readouterr().out, re.MULTILINE)
    assert main([*words, "--ps-num", "1", "train"]) == 1
    assert "type DISTTORCH has no parameter servers" in capsys.readouterr().err


def test_pytorch_is_independent_workers() -> None:
    assert type(framework("PYTORCH")) is Framework
