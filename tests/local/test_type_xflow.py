"""XFLOW and MXNET: a program with sockets alone meets as those on ps-lite do. XFlow itself is not run."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from places import Place
from submitting import PROGRAMS, Ended, Gateway, local_storage

DMLC = PROGRAMS / "dmlc.py"
COMMAND = ("--board-enable", "false", "--files", DMLC, "--", sys.executable, DMLC.name)


def seen(gateway: Gateway, ended: Ended) -> dict[str, dict[str, Any]]:
    """Role and number -> what that program has printed."""
    found = {}
    for log in (gateway.root / "local" / "apps" / ended.app_id).glob("containers/*/logs/stdout"):
        record = json.loads(log.read_text())
        told = record["told"]
        number = told.get("DMLC_WORKER_ID", told.get("DMLC_SERVER_ID", ""))
        found[told["DMLC_ROLE"] + number] = record
    return found


# Who is there without servers is in `test_framework_dmlc` too.
@pytest.mark.parametrize("servers", [2, pytest.param(0, marks=pytest.mark.large)])
def test_all_meet_and_only_workers_have_data(gateway: Gateway, servers: int) -> None:
    place = Place((gateway.root / "place").as_uri(), local_storage())
    for name in ("a", "b"):
        place.write(f"in/{name}", b"1")
    ended = gateway.submit(
        *("--app-type", "xflow", "--worker-num", 2, "--ps-num", servers),
        *("--input", f"{place.at('in')}#data", "--output", f"{place.at('out')}#output", *COMMAND),
    )
    assert ended.code == 0, ended.err
    records = seen(gateway, ended)
    assert set(records) == {"scheduler", "worker0", "worker1", *(f"server{n}" for n in range(servers))}
    assert [records[f"worker{n}"]["found"] for n in (0, 1)] == [[3] * servers] * 2
    inputs = {name: record["inputs"] for name, record in records.items()}
    assert sorted(inputs.pop("worker0") + inputs.pop("worker1")) == ["a", "b"]
    assert not any(inputs.values())
    profiles = {name: record["told"].get("HEAPPROFILE") for name, record in records.items()}
    assert profiles == {name: _profile(name) for name in records}
    roots = {record["told"]["DMLC_PS_ROOT_URI"] for record in records.values()}
    assert roots == {"127.0.0.1"}
    assert {name.rpartition("/")[2] for name in place.tree("out")} == {"worker.json", "_SUCCESS"}
    gateway.nothing_is_left()


def _profile(name: str) -> str | None:
    return None if name == "scheduler" else f"./{name[0].upper()}{name[-1]}"


@pytest.mark.parametrize(
    ("app_type", "role", "name"),
    [("mxnet", "scheduler", "scheduler:0"), ("mxnet", "worker", "worker:"), ("xflow", "server", "ps:0")],
)
def test_a_member_that_dies_ends_the_others_that_wait_for_it(
    gateway: Gateway, app_type: str, role: str, name: str
) -> None:
    ended = gateway.submit(
        *("--app-type", app_type, "--worker-num", 2, "--ps-num", 1, *COMMAND, f"fail:{role}"),
    )
    assert ended.code == 2, ended.err
    _, first, about = ended.err.partition(f"First to fail: {name}")
    assert first, ended.err
    assert f"| the {role} has no memory left" in about
    gateway.nothing_is_left()
