"""TENSORFLOW: exact variables, roles, rules, and what is wrong with a job."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest

from xlearning.client.cli import main
from xlearning.config import Config
from xlearning.frameworks import framework
from xlearning.frameworks.base import Crew, Rules
from xlearning.job import EVALUATOR, PS, WORKER, ClusterMap, JobSpec, Member, Task

ROOT = Path(__file__).resolve().parents[2]
TYPE = framework("tensorflow")
STRATEGY = {"xlearning.tf.distribution.strategy": "true"}
COORDINATOR = {"xlearning.tf.coordinator": "true"}
OWN_CHIEF = {"xlearning.chief.worker.memory": "4096", "xlearning.worker.memory": "1024"}
CLUSTER: ClusterMap = {
    PS: (Member("p", (20001,), "10.0.0.9"),),
    WORKER: (Member("a", (20002,), "10.0.0.1"), Member("b", (20003,), "10.0.0.2")),
}


def job(crew: Crew, properties: dict[str, str] | None = None) -> tuple[JobSpec, Config]:
    asked = {"xlearning.worker.num": str(crew.workers + crew.evaluator), **(properties or {})}
    config = Config.from_properties(asked)
    names = {"app_id": "application_1_0001", "app_name": "n", "app_type": "TENSORFLOW", "user": "u"}
    roles = TYPE.roles(crew, config)
    return JobSpec(**names, command=("x",), roles=roles, staging="file:///s", default_fs="file://"), config


def variables(
    crew: Crew, role: str, index: int, properties: dict[str, str] | None = None, cluster: ClusterMap = CLUSTER
) -> dict[str, Any]:
    """What one program gets; JSON is read."""
    env = TYPE.setup(*job(crew, properties), Task(role, index, 1), cluster).env
    return {name: json.loads(text) if text.startswith("{") else text for name, text in env.items()}


def rules(crew: Crew, properties: dict[str, str] | None = None) -> Rules:
    return TYPE.rules(*job(crew, properties))


def test_text_of_the_variables_is_that_of_the_original() -> None:
    env = TYPE.setup(*job(Crew(2, 1, False)), Task(WORKER, 1, 1), CLUSTER).env
    assert env["TF_CLUSTER_DEF"] == '{"worker":["a:20002","b:20003"],"ps":["p:20001"]}'


def test_workers_and_ps() -> None:
    cluster = {"worker": ["a:20002", "b:20003"], "ps": ["p:20001"]}
    assert variables(Crew(2, 1, False), WORKER, 1) == {
        "INDEX": "1",
        "TF_ROLE": "worker",
        "TF_INDEX": "1",
        "TF_CLUSTER_DEF": cluster,
        "TN_ROLE": "worker",
        "TN_INDEX": "1",
        "TN_CLUSTER_DEF": cluster,
        "TF_CONFIG": {"cluster": cluster, "task": {"type": "worker", "index": 1}},
        "LOCAL_ADDRESS": "b:20003",
    }
    server = variables(Crew(2, 1, False), PS, 0)
    assert (server["TF_ROLE"], server["LOCAL_ADDRESS"]) == ("ps", "p:20001")
    assert server["TF_CONFIG"]["task"] == {"type": "ps", "index": 0}


@pytest.mark.parametrize("properties", [OWN_CHIEF, COORDINATOR])
def test_a_chief_is_no_worker_of_tf_config(properties: dict[str, str]) -> None:
    chief = variables(Crew(2, 1, False), WORKER, 0, properties)
    assert (chief["TF_ROLE"], chief["TF_INDEX"]) == ("worker", "0")
    assert chief["TF_CLUSTER_DEF"] == {"worker": ["a:20002", "b:20003"], "ps": ["p:20001"]}
    cluster = {"chief": ["a:20002"], "worker": ["b:20003"], "ps": ["p:20001"]}
    assert chief["TF_CONFIG"] == {"cluster": cluster, "task": {"type": "chief", "index": 0}}
    worker = variables(Crew(2, 1, False), WORKER, 1, properties)
    assert worker["TF_CONFIG"] == {"cluster": cluster, "task": {"type": "worker", "index": 0}}


def test_an_evaluator_stands_outside() -> None:
    """Of the cluster of TF_CONFIG always; TF_CLUSTER_DEF names it with a distribution strategy."""
    crew, cluster = Crew(2, 1, True), {**CLUSTER, EVALUATOR: (Member("e"),)}
    found = variables(crew, EVALUATOR, 0, cluster=cluster)
    assert (found["TF_ROLE"], found["TF_INDEX"]) == ("evaluator", "0")
    assert found["TF_CONFIG"]["task"] == {"type": "evaluator", "index": 0}
    assert set(found["TF_CONFIG"]["cluster"]) == {"chief", "worker", "ps"}
    assert set(found["TF_CLUSTER_DEF"]) == {"worker", "ps"}
    assert "LOCAL_ADDRESS" not in found
    cluster[EVALUATOR] = (Member("e", (20004,)),)
    found = variables(crew, WORKER, 0, STRATEGY, cluster)
    assert found["TF_CLUSTER_DEF"]["evaluator"] == ["e:20004"]
    assert set(found["TF_CONFIG"]["cluster"]) == {"chief", "worker", "ps"}


def test_single() -> None:
    for crew, properties in [(Crew(2, 0, False), {}), (Crew(1, 0, False), STRATEGY)]:
        assert variables(crew, WORKER, 0, properties, {WORKER: (Member("a"),)}) == {
            **{"INDEX": "0", "TF_ROLE": "worker", "TF_INDEX": "0", "TN_ROLE": "worker", "TN_INDEX": "0"}
        }
        found = rules(crew, properties)
        assert (found.gang, found.has_chief, dict(found.ports)) == (False, False, {})


def test_an_evaluator_beside_a_lone_worker() -> None:
    """`--worker-num 2 --tf-evaluator`: the evaluator is one of the workers that the strategy is for."""
    crew, cluster = Crew(1, 0, True), {WORKER: CLUSTER[WORKER][:1], EVALUATOR: (Member("e", (20004,)),)}
    for role, kind in ((WORKER, "chief"), (EVALUATOR, "evaluator")):
        found = variables(crew, role, 0, STRATEGY, cluster)
        assert found["TF_CLUSTER_DEF"] == {"worker": ["a:20002"], "evaluator": ["e:20004"]}
        task = {"type": kind, "index": 0}
        assert found["TF_CONFIG"] == {"cluster": {"chief": ["a:20002"]}, "task": task}
    assert rules(crew, STRATEGY).gang


def test_files_for_one_of_the_workers_of_a_strategy() -> None:
    """The program was made for several: it finds its variables, with one worker in them."""
    asked = {**STRATEGY, "xlearning.worker.num": "4"}
    found = variables(Crew(1, 0, False), WORKER, 0, asked, {WORKER: CLUSTER[WORKER][:1]})
    assert found["TF_CLUSTER_DEF"] == found["TF_CONFIG"]["cluster"] == {"worker": ["a:20002"]}


def test_a_lone_worker_of_its_own_size_is_the_chief() -> None:
    cluster = {WORKER: CLUSTER[WORKER][:1], PS: CLUSTER[PS]}
    found = variables(Crew(1, 1, False), WORKER, 0, OWN_CHIEF, cluster)
    assert found["TF_CONFIG"]["cluster"] == {"chief": ["a:20002"], "ps": ["p:20001"]}
    assert found["TF_CLUSTER_DEF"] == {"worker": ["a:20002"], "ps": ["p:20001"]}
    same = {**OWN_CHIEF, "xlearning.chief.worker.memory": "1024"}
    found = variables(Crew(1, 1, False), WORKER, 0, same, cluster)
    assert found["TF_CONFIG"]["cluster"] == found["TF_CLUSTER_DEF"]


@pytest.mark.parametrize(
    ("workers", "ps", "properties", "words"),
    [
        (2, 0, {}, "--ps-num or --conf xlearning.tf.distribution.strategy=true"),
        (1, 1, STRATEGY, "at least 2 workers"),
        (2, 1, {}, ""),
        (2, 0, STRATEGY, ""),
    ],
)
def test_who_may_have_an_evaluator(workers: int, ps: int, properties: dict[str, str], words: str) -> None:
    config = Config.from_properties({**properties, "xlearning.worker.num": str(workers)})
    found = TYPE.no_evaluator(workers, ps, config)
    assert words in found if words else not found


def test_a_strategy_makes_a_gang_of_workers() -> None:
    found = rules(Crew(2, 0, True), STRATEGY)
    assert (found.gang, dict(found.ports)) == (True, {PS: 1, WORKER: 1, EVALUATOR: 1})
    assert found.serves(Task(PS, 0, 1))
    assert not found.serves(Task(WORKER, 1, 1))
    assert found.optional_roles == {EVALUATOR}


def test_workers_of_a_coordinator_serve() -> None:
    found = rules(Crew(2, 1, False), COORDINATOR)
    assert [found.serves(Task(WORKER, index, 1)) for index in (0, 1)] == [False, True]


def test_roles() -> None:
    def sizes(crew: Crew) -> list[tuple[str, int, int]]:
        properties = {**OWN_CHIEF, "xlearning.evaluator.worker.memory": "512", "xlearning.ps.memory": "2048"}
        return [(role.name, role.instances, role.memory_mb) for role in job(crew, properties)[0].roles]

    chief_and_worker = [("chief", 1, 4096), ("worker", 1, 1024)]
    assert sizes(Crew(2, 3, True)) == [("ps", 3, 2048), *chief_and_worker, ("evaluator", 1, 512)]
    assert sizes(Crew(1, 0, False)) == [("worker", 1, 4096)]


@pytest.mark.parametrize("crew", [Crew(2, 0, False), Crew(1, 1, True)])
def test_a_coordinator_with_nobody_to_coordinate(crew: Crew) -> None:
    ((what, _),) = TYPE.problems(crew, Config.from_properties(COORDINATOR))
    assert "needs parameter servers and at least 2 workers" in what
    assert not TYPE.problems(crew, Config.from_properties({}))


@pytest.mark.parametrize(("example", "count"), [("tensorflow", 3), ("horovod", 1)])
def test_lines_of_the_example_can_be_planned(
    example: str,
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They run only in `make test-all`."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(tmp_path))
    write = runpy.run_path("examples/tensorflow/make_data.py")["write"]
    (tmp_path / "rows").mkdir()
    for name in ("rows/0.csv", "rows/1.csv", "rows/2.csv", "held-out.csv"):
        write(tmp_path / name, 2, 0)
    text = (ROOT / "examples" / example / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\$ xl-submit ((?:.*\\\n)*.*)", text, re.MULTILINE)
    assert len(lines) == count
    for line in lines:
        assert main(["--dry-run", *shlex.split(line)]) == 0, capsys.readouterr().err


def test_tensor2tensor_has_words_of_its_own() -> None:
    type_ = framework("TENSOR2TENSOR")
    spec, config = job(Crew(2, 1, False))
    env = type_.setup(spec, config, Task(WORKER, 1, 1), CLUSTER).env
    assert json.loads(env["TF_CONFIG"]) == {
        "cluster": {"master": ["a:20002", "b:20003"], "ps": ["p:20001"]},
        "task": {"type": "master", "index": 1},
        "environment": "cloud",
    }
    assert env["TF_ROLE"] == env["TN_ROLE"] == "worker"
    server = type_.setup(spec, config, Task(PS, 0, 1), CLUSTER).env
    assert json.loads(server["TF_CONFIG"])["task"] == {"type": "ps", "index": 0}
    assert type_.rules(spec, config).gang
    assert type_.has_ps and not type_.has_evaluator
