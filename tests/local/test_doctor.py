"""`xl-submit doctor` on this machine: with and without a job, without Hadoop, with bad properties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from json_answers import conforming
from submitting import Ended, Gateway


def checks(ended: Ended) -> dict[str, Any]:
    return {one["id"]: one for one in conforming("doctor", json.loads(ended.out))["checks"]}


def test_this_machine_and_a_container_of_it(gateway: Gateway, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    gateway.environment["TMPDIR"] = str(temporary)
    told = gateway.verb("doctor", "--local", "--in-cluster", "--output", "json")
    found = checks(told)
    assert told.code == 0, told.out
    assert json.loads(told.out)["healthy"]
    assert {one["result"] for one in found.values()} <= {"ok", "warning"}
    assert {one["area"] for one in found.values()} == {"Gateway", "Local jobs", "Container"}
    assert "ran and published its report" in found["job"]["text"]
    assert str(gateway.root / "local") in found["container-work"]["text"]
    assert found["local-folder"]["text"].startswith(f"{gateway.root / 'local'}: ")
    assert list(temporary.iterdir()) == []
    gateway.nothing_is_left()


def test_a_gateway_without_hadoop(gateway: Gateway) -> None:
    """All is looked at, what cannot be is told, and no job is tried."""
    gateway.environment |= {"PATH": str(gateway.work), "JAVA_HOME": "/nowhere"}
    gateway.environment.pop("HADOOP_HOME", None)
    told = gateway.verb("doctor", "--in-cluster")
    assert (told.code, told.err) == (1, "")
    for line in (
        "  ok           XLearning         ",
        "  problem      Java              JAVA_HOME=/nowhere: there is no /nowhere/bin/java\n",
        "  problem      Programs          yarn is not on PATH\n",
        "  problem      Configuration     HADOOP_CONF_DIR is not set",
        "fix: set HADOOP_CONF_DIR to the folder",
        "  not checked  Round trip        not before this is well: Configuration (Hadoop client)\n",
        "  not checked  Nodes             not before this is well: Configuration (Hadoop client)\n",
        "  not checked  Job               not before this is well: Java (Hadoop client), Programs",
        "\nSomething is wrong: ",
    ):
        assert line in told.out, told.out


def test_bad_properties_are_one_finding_among_others(gateway: Gateway) -> None:
    gateway.properties["xlearning.worker.memory"] = "much"
    told = gateway.verb("doctor", "--local", "--conf", "nopair", "--output", "json")
    found = checks(told)
    assert (told.code, found["properties"]["result"], found["python"]["result"]) == (1, "problem", "ok")
    assert "xlearning.worker.memory=much" in found["properties"]["text"]
    assert "--conf nopair is not a pair" in found["properties"]["text"]
    refused = gateway.verb("doctor", "--timeout", "0")
    assert (refused.code, refused.out) == (1, "")
    assert "xl-submit doctor --help" in refused.err


def test_a_job_that_fails_is_a_problem(gateway: Gateway) -> None:
    told = gateway.verb(
        *(
            "doctor",
            "--local",
            "--in-cluster",
            "--conf",
            "xlearning.python=/nowhere/python",
            "--output",
            "json",
        )
    )
    found = checks(told)
    assert (told.code, found["job"]["result"]) == (1, "problem")
    assert "see above" in found["job"]["fix"]
    assert "container-work" not in found
    gateway.nothing_is_left()
