"""What another user of HDFS can do to a submission by files in the staging folder of all: nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest

from xlearning.client.console import PlainConsole
from xlearning.client.session import find_am
from xlearning.client.sweep import staged_job, sweep_dead
from xlearning.cluster.base import ApplicationReport
from xlearning.fs import FileSystems, join
from xlearning.fs.base import exists
from xlearning.fs.owners import NotBelieved
from xlearning.job import AppState, JobSpec, OutputSpec, to_dict

LIES, DAMAGED, OWN = (f"application_1_{number:04d}" for number in (1, 2, 3))


class Ended:
    """A cluster on which every application has ended."""

    def report(self, app_id: str) -> ApplicationReport:
        return ApplicationReport(app_id, "n", "victim", AppState.KILLED)

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


def put(fss: FileSystems, uri: str, content: bytes) -> None:
    with fss.of(uri).open_write(uri) as file:
        file.write(content)


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FileSystems]:
    """File systems of a user, who is the one of this process until the next call."""

    def become(user: str) -> FileSystems:
        monkeypatch.setenv("HADOOP_USER_NAME", user)
        return FileSystems(user=user)

    return become


def test_files_of_others(hdfs_dir: str, as_user: Callable[[str], FileSystems]) -> None:
    root, precious = join(hdfs_dir, "staging"), join(hdfs_dir, "home", "precious")
    every = FileSystems()
    for folder in (root, join(hdfs_dir, "home")):
        every.of(folder).mkdirs(folder)
        every.of(folder).chmod(folder, 0o1777)
    mine = as_user("victim")
    put(mine, join(precious, "thesis"), b"years of work")
    put(mine, join(precious, "_temporary", f"{LIES}_000001", "part"), b"x")
    own = join(root, OWN)
    job = JobSpec(OWN, "n", "T", "victim", ("x",), (), own, "file://")
    put(mine, join(own, "job.json"), json.dumps(to_dict(job)).encode())

    theirs = as_user("evil3")
    lie = JobSpec(
        *(LIES, "n", "T", "victim", ("x",), (), precious, "file://"), outputs=(OutputSpec(precious, "m"),)
    )
    put(theirs, join(root, LIES, "job.json"), json.dumps(to_dict(lie)).encode())
    put(theirs, join(root, LIES, "am-1.json"), b'{"address": "evil:1", "attempt": 1}')
    put(theirs, join(root, DAMAGED, "job.json"), b"null")

    victim = as_user("victim")
    console = PlainConsole(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    sweep_dead(root, "victim", victim, Ended(), console)  # type: ignore[arg-type]
    fs = victim.of(root)
    assert exists(fs, join(precious, "thesis"))
    assert exists(fs, join(precious, "_temporary", f"{LIES}_000001", "part"))
    assert exists(fs, join(root, LIES, "job.json"))
    assert not exists(fs, own)
    assert staged_job(join(root, LIES), victim, "victim") is None
    with pytest.raises(NotBelieved, match="it belongs to evil3, not to victim"):
        find_am(victim, join(root, LIES), "victim")
