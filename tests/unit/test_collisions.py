"""Variables of the user's that an application type sets too."""

from __future__ import annotations

import pytest

from xlearning.client.planning.collisions import names, tell
from xlearning.config import Config
from xlearning.frameworks import framework, known
from xlearning.frameworks.base import Crew
from xlearning.job import CHIEF, JobSpec

OWN_CHIEF = {"xlearning.chief.worker.memory": "4096", "xlearning.worker.memory": "1024"}


def job(app_type: str, crew: Crew, config: Config, *given: str) -> JobSpec:
    return JobSpec(
        **{"app_id": "", "app_name": "n", "app_type": app_type, "user": "u", "default_fs": "file://"},
        command=("python3", "train.py"),
        roles=framework(app_type).roles(crew, config),
        staging="",
        env=dict.fromkeys(given, "7"),
    )


def told(app_type: str, *given: str, crew: Crew = Crew(2, 0, False)) -> list[str]:  # noqa: B008 - frozen
    config, notes = Config.from_properties({}), []
    tell(framework(app_type), job(app_type, crew, config, *given), config, notes)
    return notes


@pytest.mark.parametrize("app_type", ["XLEARNING", *known()])
@pytest.mark.parametrize("properties", [{}, OWN_CHIEF])
def test_every_type_tells_what_it_sets(app_type: str, properties: dict[str, str]) -> None:
    type_, config = framework(app_type), Config.from_properties(properties)
    crew = Crew(3, 2 if type_.has_ps else 0, type_.has_evaluator)
    given = job(app_type, crew, config)
    assert "INDEX" in names(type_, given, config)
    assert any(role.name == CHIEF for role in given.roles) <= ("TF_CONFIG" in names(type_, given, config))


@pytest.mark.parametrize(
    ("app_type", "name"),
    [
        ("DISTTORCH", "RANK"),
        ("DISTXGBOOST", "DMLC_TASK_ID"),
        ("TENSORFLOW", "TF_INDEX"),
        ("DISTLIGHTGBM", "LIGHTGBM_LOCAL_LISTEN_PORT"),
        ("MPI", "INDEX"),
    ],
)
def test_what_replaces_a_variable_of_the_type(app_type: str, name: str) -> None:
    assert told(app_type, "MINE", name) == [
        f"in every container yours replace what type {app_type} sets there: {name}"
    ]


def test_variables_of_some_roles_only() -> None:
    found = told("MXNET", "DMLC_ROLE", "DMLC_SERVER_ID", "DMLC_WORKER_ID", crew=Crew(2, 1, False))
    assert found == [
        "in every container yours replace what type MXNET sets there: "
        "DMLC_ROLE, DMLC_SERVER_ID, DMLC_WORKER_ID"
    ]
    assert not told("MXNET", "DMLC_ROLE")
    assert told("TENSORFLOW", "TF_CONFIG", crew=Crew(2, 1, False)) and not told("TENSORFLOW", "TF_CONFIG")


def test_an_interface_is_the_users_to_choose() -> None:
    assert not told("DISTTORCH", "GLOO_SOCKET_IFNAME")


def test_what_mpirun_sets_in_any_case() -> None:
    assert told("HOROVOD", "OMPI_COMM_WORLD_RANK", "HOROVOD_SIZE", "HOROVOD_CYCLE_TIME", "OMPI_MCA_btl") == [
        "type HOROVOD sets these for each process, so yours have no effect: "
        "HOROVOD_SIZE, OMPI_COMM_WORLD_RANK"
    ]
    assert not told("MPI", "HOROVOD_SIZE")
