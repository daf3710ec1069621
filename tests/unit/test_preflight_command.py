"""Commands of local jobs that no container would find, and memory that this machine does not have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from xlearning.client.preflight.command import tell
from xlearning.client.preflight.devices import tell_memory
from xlearning.config import Config
from xlearning.job import JobSpec, LocalResource, RoleSpec, SearchPaths


@pytest.fixture(autouse=True)
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("python3", "train"):
        (folder / name).touch(0o755)
    return folder


def told(folder: Path | str, *command: str, config: dict[str, str] | None = None, **more: Any) -> list[str]:
    values = {"app_id": "", "app_name": "n", "app_type": "XLEARNING", "user": "u", "default_fs": "file://"}
    job = JobSpec(**{**values, "command": command, "roles": (), "staging": "", **more})
    notes: list[str] = []
    tell(job, Config.from_properties(config or {}), notes, {"PATH": str(folder), "JAVA_HOME": "/no/java"})
    return notes


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (("pyhton3", "fit.py"), "; did you mean python3?"),
        (("zzzz",), ""),
        (("lst",), "; did you mean xl-submit list --local?"),
        (("fit.sh",), "; did you mean ./fit.sh?"),
    ],
)
def test_a_program_that_is_not_there(programs: Path, command: tuple[str, ...], meant: str) -> None:
    shipped = (LocalResource("fit.sh", "file:///x/fit.sh"),)
    assert told(programs, *command, resources=shipped) == [f"there is no program {command[0]} on PATH{meant}"]


@pytest.mark.parametrize("command", ["train", "./zzzz", "/zzzz", "${app_id}", "two words", ""])
def test_what_is_there_or_not_known(programs: Path, command: str) -> None:
    assert told(programs, command) == []


def test_nothing_is_said_where_the_job_has_a_path_of_its_own(programs: Path) -> None:
    assert told(programs, "zzzz", env={"PATH": "/x"}) == []
    assert told(programs, "zzzz", search=SearchPaths((), path="/x")) == []
    assert told(f"{programs}:bin", "zzzz") == []
    assert told(programs, "zzzz", framework="mine:Mine") == []
    assert told(programs, "zzzz", config={"xlearning.container.type": "docker"}) == []


def test_programs_of_homes_are_found(programs: Path) -> None:
    notes: list[str] = []
    job = JobSpec("", "n", "XLEARNING", "u", ("train",), (), "", "file://")
    tell(job, Config.from_properties({}), notes, {"PATH": "/no/such", "JAVA_HOME": str(programs.parent)})
    assert notes == []


def test_folders_of_path_that_are_not_there(programs: Path) -> None:
    assert told(f"/no/such/folder:{programs}", "pyhton3")[0].endswith("did you mean python3?")


@pytest.mark.parametrize(("there", "said"), [(3 * 2**30, False), (3 * 2**30 - 1, True)])
def test_memory_of_all_containers(there: int, said: bool) -> None:
    notes: list[str] = []
    tell_memory((RoleSpec("worker", 2, 1024, 1), RoleSpec("ps", 1, 1024, 1)), there, notes)
    assert notes == ["the containers may use 3.0 GiB of memory in all; this machine has 3.0 GiB"] * said
