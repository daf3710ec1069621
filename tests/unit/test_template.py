"""Placeholders: filled in where they are asked for, byte for byte where not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.am.inputs.plan import InputPlan
from xlearning.am.launch import launch_spec
from xlearning.config import Config
from xlearning.job import (
    CHIEF,
    EVALUATOR,
    PS,
    WORKER,
    InputStrategy,
    JobSpec,
    LaunchSpec,
    Member,
    RoleSpec,
    SearchPaths,
    Task,
)
from xlearning.template import PLACEHOLDERS, fill, placeholders

VALUES = {"app_id": "application_1_0001", "index": "3", "role": "worker", "num_workers": "4"}
OLD = ("bash", "-c", "for index in 1 2; do echo ${index} $INDEX ${INDEX} $$ $${index} '${role}'; done")


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("${index}", "3"),
        ("out/${app_id}/${role}-${index}of${num_workers}", "out/application_1_0001/worker-3of4"),
        ("$${index} $$${index} $$$${index}", "${index} $${index} $$${index}"),
        ("$index ${INDEX} ${ index } ${index:-0} ${index", "$index ${INDEX} ${ index } ${index:-0} ${index"),
        ("$$ $ ${} ${rank} ${env.HOME} {index}", "$$ $ ${} ${rank} ${env.HOME} {index}"),
        ("${${index}}", "${3}"),
        ("ä\n${role}\udcff", "ä\nworker\udcff"),
    ],
)
def test_fill(text: str, filled: str) -> None:
    assert fill(text, VALUES) == filled


@given(st.text(alphabet="${}ai ndex_\\'\"\n", max_size=40))
def test_only_placeholders_change(text: str) -> None:
    if not placeholders(text):
        assert fill(text, VALUES) == text


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_the_escape_gives_the_placeholder_itself(name: str) -> None:
    assert fill(f"$${{{name}}}", VALUES) == f"${{{name}}}"
    assert placeholders(f"a ${{{name}}} $${{{name}}}") == [f"${{{name}}}"]


def launched(task: Task, *, template: bool, command: tuple[str, ...] = OLD) -> LaunchSpec:
    roles = (
        RoleSpec(PS, 2, 1, 1),
        RoleSpec(CHIEF, 1, 2, 1),
        RoleSpec(WORKER, 3, 1, 1),
        RoleSpec(EVALUATOR, 1, 1, 1),
    )
    job = JobSpec(
        app_id="application_1_0001",
        app_name="",
        app_type="TENSORFLOW",
        user="",
        command=command,
        roles=roles,
        staging="",
        default_fs="file://",
        env={"RUN": "${role}:${index}/${num_workers} $${role} $X", "OTHER": "$"},
        search=SearchPaths(("a.jar",), path="/opt/bin"),
        template=template,
    )
    hosts = {PS: "ab", WORKER: "cdef", EVALUATOR: "g"}
    cluster = {role: tuple(Member(host, (1,)) for host in names) for role, names in hosts.items()}
    return launch_spec(
        job, Config.from_properties({}), InputPlan(InputStrategy.DOWNLOAD, {}, ()), task, cluster
    )


def test_an_old_command_arrives_byte_for_byte() -> None:
    spec = launched(Task(WORKER, 1, 1), template=False)
    assert spec.command == OLD
    assert spec.env["RUN"] == "${role}:${index}/${num_workers} $${role} $X"


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (Task(WORKER, 0, 1, chief=True), "worker:0/4 ${role} $X"),
        (Task(WORKER, 3, 2), "worker:3/4 ${role} $X"),
        (Task(PS, 1, 1), "ps:1/4 ${role} $X"),
        (Task(EVALUATOR, 0, 1), "evaluator:0/4 ${role} $X"),
    ],
)
def test_each_container_gets_its_own_values(task: Task, expected: str) -> None:
    spec = launched(task, template=True, command=("python", "t.py", "--rank=${index}", "${app_id}", "$HOME"))
    assert spec.env["RUN"] == expected
    assert spec.command == ("python", "t.py", f"--rank={task.index}", "application_1_0001", "$HOME")
    assert spec.env["APP_ID"] == "application_1_0001"
    assert spec.search.path == "/opt/bin"
