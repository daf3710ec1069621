"""Outputs on a view: which are refused, and what a job without success leaves of one that is a mount."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.client.planning.outputs import check_free, parse
from xlearning.client.preflight.folders import check_outputs
from xlearning.client.problems import Problem
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config, hadoop_xml
from xlearning.errors import ApplicationNotFound
from xlearning.fs import FileSystems
from xlearning.fs.base import exists
from xlearning.fs.commit import Committer
from xlearning.job import OutputSpec

APP = "application_1_0001"


@pytest.fixture
def fss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileSystems:
    mounts = {}
    for name in ("data", "data/deep", "out"):
        (tmp_path / name.replace("/", "-")).mkdir()
        mounts[f"fs.viewfs.mounttable.v.link./{name}"] = (tmp_path / name.replace("/", "-")).as_uri()
    hadoop_xml.write(tmp_path / "core-site.xml", mounts)
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    return FileSystems("viewfs://v")


def nobody(app_id: str) -> ApplicationReport:
    raise ApplicationNotFound(app_id)


def test_outputs_that_no_rename_could_reach(fss: FileSystems) -> None:
    problems: list[Problem] = []
    remotes = ["viewfs://v/data", "viewfs://v/data/new", "viewfs://v/out", "viewfs://v/elsewhere/new"]
    specs = [OutputSpec(remote, "out") for remote in remotes]
    check_free(
        *(specs, fss), user="me", report=nobody, saves="/i_", existing="MERGE", problems=problems, notes=[]
    )
    check_outputs(remotes, fss, "me", problems)
    assert [problem.message for problem in problems] == [
        "output viewfs://v/data holds mounts of its view, so that it is not on one file system",
        "output viewfs://v/elsewhere/new cannot be made: it lies outside of all mounts of its view",
    ]


def test_an_output_that_is_a_mount_stays_after_a_job_without_success(
    fss: FileSystems, tmp_path: Path
) -> None:
    staging, out = f"viewfs://v/data/{APP}", OutputSpec("viewfs://v/out", "out")
    committer = Committer(fss, APP, staging, (out,), retry_time=1.0, existing="MERGE")
    committer.take_over(1)
    committer.claim(1)
    assert exists(fss.default, "viewfs://v/out/_temporary")
    committer.discard()
    assert [*(tmp_path / "out").iterdir()] == []


def test_an_output_in_the_memory_of_a_process_is_refused() -> None:
    config = Config.from_properties({"xlearning.fs.fsspec.schemes": "memory"})
    problems: list[Problem] = []
    assert not parse(["memory://x/out#o"], FileSystems(config=config), default_name="out", problems=problems)
    assert [problem.message for problem in problems] == [
        "output memory://x/out would be kept in the memory of a process, and end with it"
    ]
