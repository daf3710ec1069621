"""Outputs on a view: which are refused, and what a job without success leaves of one that is a mount."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.client.planning import inputs, own_disks
from xlearning.client.planning.outputs import check_free, parse
from xlearning.client.preflight.folders import check_outputs
from xlearning.client.problems import Problem
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config, hadoop_xml
from xlearning.errors import ApplicationNotFound
from xlearning.fs import FileSystems
from xlearning.fs.base import exists
from xlearning.fs.commit import Committer
from xlearning.job import InputSpec, OutputSpec

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


def test_a_disk_behind_a_view_is_told(fss: FileSystems) -> None:
    notes: list[str] = []
    own_disks.tell((), [OutputSpec("viewfs://v/data/x", "out")], "hdfs://nn", fss, notes)
    assert notes == [
        "output viewfs://v/data/x is on a disk: every node must reach this same folder, as on a shared disk"
    ]
    assert fss.behind("viewfs://v/elsewhere") == "viewfs://v/elsewhere"


def test_a_scheme_that_cannot_be_served_is_told_beside_other_problems() -> None:
    fss = FileSystems(config=Config.from_properties({"xlearning.fs.fsspec.schemes": "nonsense"}))
    problems: list[Problem] = []
    spec = InputSpec("in", ("nonsense://h/a", "file:///is-not-there"))
    inputs.list_inputs([spec], fss, allow_empty=False, problems=problems)
    specs = [OutputSpec("nonsense://h/out", "out")]
    check_free(specs, fss, user="me", report=nobody, saves="/i_", problems=problems, notes=[])
    check_outputs(["nonsense://h/out"], fss, "me", problems)
    told = [problem.message for problem in problems]
    assert told[1] == "input file:///is-not-there matches nothing"
    assert set(told[:1] + told[2:]) == {"fsspec cannot serve nonsense://: Protocol not known: nonsense"}
