"""What YARN would refuse is found before it is asked. The answers are those of Hadoop 3.4.1."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest

from xlearning.client.console import PlainConsole
from xlearning.client.preflight import containers
from xlearning.client.preflight.yarn import fit, prioritize
from xlearning.client.problems import Problem
from xlearning.cluster import yarn_resources
from xlearning.cluster.yarn_facts import Facts
from xlearning.cluster.yarn_resources import Limits
from xlearning.config import Config, load
from xlearning.errors import ClusterUnavailable
from xlearning.job import JobSpec, RoleSpec


def job(**properties: str) -> tuple[JobSpec, Config]:
    roles = (RoleSpec("ps", 1, 512, 1), RoleSpec("worker", 2, 4096, 8))
    made = JobSpec("", "n", "TENSORFLOW", "u", ("true",), roles, "", "hdfs://h", properties=properties)
    return made, Config.from_properties(properties)


def node(memory: int, cores: int, gpus: int | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "usedMemoryMB": 1024,
        "availMemoryMB": memory - 1024,
        "usedVirtualCores": 1,
        "availableVirtualCores": cores - 1,
    }
    for kind, share in (("usedResource", 1), ("availableResource", None)):
        entries = [{"name": "memory-mb", "value": 1}]
        if gpus is not None:
            entries.append({"name": "yarn.io/gpu", "value": share if share is not None else gpus - 1})
        found[kind] = {"resourceInformations": {"resourceInformation": entries}}
    return found


def answers(nodes: list[Any], **settings: str) -> Any:
    def get(path: str) -> Any:
        if "/nodes" in path:
            return {"nodes": {"node": nodes}}
        name = path.partition("name=")[2]
        if name not in settings:
            raise FileNotFoundError(path)
        return {"property": {"key": name, "value": settings[name]}}

    return get


def problems(made: JobSpec, config: Config, limits: Limits) -> list[Problem]:
    return containers.check(made, config, Facts(limits), None)


MEMORY = "yarn.scheduler.maximum-allocation-mb"


def test_limits_come_from_the_settings_and_the_largest_node() -> None:
    get = answers(
        [node(8192, 4, 2), node(16384, 8, 3)],
        **{MEMORY: "32768", "yarn.resourcemanager.am.max-attempts": "2"},
    )
    assert yarn_resources.ask(get) == Limits(memory_mb=16384, vcores=8, gpus=3, attempts=2)
    assert yarn_resources.ask(answers([node(8192, 4, None)], **{MEMORY: "4096"})) == Limits(4096, 4, 0, None)


def test_a_silent_web_service_forbids_nothing() -> None:
    def refuse(path: str) -> Any:
        raise ClusterUnavailable(path)

    assert yarn_resources.ask(refuse) == Limits()
    assert problems(*job(), Limits()) == []


def test_everything_too_large_is_told_at_once() -> None:
    properties = {
        "xlearning.worker.gpus": "2",
        "xlearning.am.memory": "3000",
        "xlearning.app.priority": "FAST",
    }
    told = "\n".join(problem.message for problem in problems(*job(**properties), Limits(2048, 4, 1)))
    most = "the largest container of this cluster has 2048"
    assert f"a worker container asks for 4096 MB of memory; {most}" in told
    assert "asks for 8 cores" in told
    assert "asks for 2 GPUs" in told
    assert "the ApplicationMaster asks for 3256 MB of memory" in told
    assert "xlearning.app.priority=FAST" in told
    assert "a ps container" not in told


def test_what_is_too_large_is_named_as_it_was_typed() -> None:
    config = load(environ={}, options={"xlearning.worker.memory": ("9000", "--workerMemory")})
    made = replace(job()[0], roles=(RoleSpec("worker", 1, 9000, 1),))
    (found,) = problems(made, config, Limits(2048, 4, 1))
    assert found.fix == "lower --workerMemory"
    (found,) = problems(made, Config.from_properties({"xlearning.worker.memory": "9000"}), Limits(2048, 4, 1))
    assert found.fix == "lower xlearning.worker.memory"


def test_no_gpus_at_all() -> None:
    (found,) = problems(*job(**{"xlearning.worker.gpus": "1"}), Limits(gpus=0))
    assert "yarn.io/gpu" in found.message


def test_attempts_are_lowered_to_what_the_cluster_tries() -> None:
    made, config = job(**{"xlearning.app.max.attempts": "5"})
    fitted, notes = fit(made, config, Limits(memory_mb=8192, attempts=2))
    assert fitted.properties["xlearning.app.max.attempts"] == "2"
    assert [role.memory_limit_mb for role in fitted.roles] == [8192, 8192]
    assert "2 times" in notes[0]


@pytest.mark.parametrize(("text", "number"), [("NORMAL", 3), ("very_high", 5), ("7", 7), ("", None)])
def test_priorities(text: str, number: int | None) -> None:
    assert yarn_resources.priority(job(**{"xlearning.app.priority": text})[1]) == number


def test_a_priority_that_yarn_lowers() -> None:
    said = io.StringIO()
    _, config = job(**{"xlearning.app.priority": "HIGH"})
    asked = []

    def change(app_id: str, priority: int) -> int:
        asked.append((app_id, priority))
        return 0

    prioritize("application_1_0001", config, change, PlainConsole(said))
    assert asked == [("application_1_0001", 4)]
    assert "priority 0, not 4" in said.getvalue()
