"""The input strategy STREAM as the client plans it and as the ApplicationMaster hands it out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from xlearning.am.inputs.listing import list_inputs
from xlearning.am.inputs.plan import InputPlan, plan_inputs
from xlearning.am.launch import launch_spec
from xlearning.client.api.job import Job
from xlearning.client.api.order import request_of
from xlearning.client.planning.dryrun import render
from xlearning.client.planning.outputs import Report
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.scan import scan
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config, load
from xlearning.errors import ApplicationNotFound, UsageError
from xlearning.formats import libraries
from xlearning.formats.text import TextFormat
from xlearning.fs import FileSystems, locations
from xlearning.fs.base import FileStatus
from xlearning.fs.listing import files_of
from xlearning.fs.local import LocalFileSystem
from xlearning.fs.locations import Block
from xlearning.job import (
    CHIEF,
    PS,
    WORKER,
    InputSplit,
    InputStrategy,
    LaunchSpec,
    Member,
    RoleSpec,
    StreamSpec,
    Task,
    from_dict,
    to_dict,
)

STREAM = ("--input-strategy", "stream", "--input", "data#in", "--conf", "xlearning.input.split.maxsize=10")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, size in {"b": 25, "a": 30, "sub/c": 5, "_SUCCESS": 3, ".hidden/d": 9, "sub/.e": 9}.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"." * size)
    return tmp_path


def nobody(app_id: str) -> ApplicationReport:
    raise ApplicationNotFound(app_id)


REPORT: Report = nobody


CACHED = ("--stream-epoch", "2", "--conf", "xlearning.inputformat.cache=true")


def planned(*words: str, shown: bool = True) -> tuple[Plan, Config]:
    line = scan([*words, "run"])
    pairs = [tuple(text.split("=", 1)) for text in line.many("conf")]
    config = load(overrides=[(name, text) for name, text in pairs], options=line.properties(), environ={})
    request = request_of(Job.of_line(line))
    setting = Setting("me", 1700.5, "file://", REPORT, shown=shown)
    plan = make_plan(request, config, FileSystems("file://"), setting, problems=line.problems)
    return plan, config


def shares(streams: tuple[StreamSpec, ...]) -> list[list[str]]:
    return [[f"{s.uri.rpartition('/')[2]}:{s.start}+{s.length}" for s in spec.splits] for spec in streams]


def handed_out(plan: Plan) -> InputPlan:
    storage, config = FileSystems("file://"), Config.from_properties(plan.job.properties)
    listing = list_inputs(storage, plan.job.inputs, allow_empty=False, hidden=False)
    return plan_inputs(plan.job, listing, config, FileSystems())


def test_client_and_master_agree() -> None:
    plan, _ = planned("--worker-num", "2", *STREAM, "--stream-epoch", "3")
    assert plan.job.input_strategy is InputStrategy.STREAM
    assert shares(plan.streams) == [
        ["a:0+10", "a:10+10", "a:20+10", "b:0+10"],
        ["b:10+10", "b:20+5", "c:0+5"],
    ]
    master = handed_out(plan)
    assert master.streams == plan.streams
    assert {spec.epochs for spec in master.streams} == {3}
    assert master.counts() == {(WORKER, 0): 2, (WORKER, 1): 2}


def test_shuffled() -> None:
    plan, _ = planned("--worker-num", "3", *STREAM, "--inputformat-shuffle")
    assert shares(plan.streams)[1] == ["a:10+10", "b:10+10"]
    assert handed_out(plan).streams == plan.streams


def test_splits_near_their_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def hosts_of(files: Iterable[FileStatus], *, user: str) -> dict[str, tuple[Block, ...]]:
        assert user
        (a, *_) = files
        return {a.path: (Block(0, 10, ("h2",)), Block(10, 20, ("h1", "h2")))}

    monkeypatch.setattr(locations, "hosts_of", hosts_of)
    plan, _ = planned(
        "--worker-num", "2", *STREAM, "--conf", "xlearning.input.stream.order=local", "--input", "data/b#z"
    )
    master = handed_out(plan)
    cluster = {WORKER: (Member("h1", (1,)), Member("h2", (2,)))}
    placed = master.placed(cluster)
    assert shares(placed.streams)[0][:2] == ["a:10+10", "a:20+10"]
    assert "a:0+10" in shares(placed.streams)[1]
    assert told(placed.streams) == told(master.streams)
    assert placed.placed({WORKER: ("h2:1", "h1:2")}) == placed  # who takes a place reads the same


def told(streams: tuple[StreamSpec, ...]) -> list[tuple[str, int, str]]:
    return sorted(
        (split.uri, split.start, spec.inputs[origin])
        for spec in streams
        for split, origin in zip(spec.splits, spec.origins, strict=True)
    )


def test_hosts_that_nobody_knows_change_nothing() -> None:
    plan, _ = planned("--worker-num", "2", *STREAM, "--conf", "xlearning.input.stream.order=local")
    master = handed_out(plan)
    assert (
        master.placed({WORKER: (Member("h1", (1,)), Member("h2", (2,)))}).streams
        == master.streams
        == plan.streams
    )


@pytest.mark.parametrize("order", ["contiguous", "roundrobin", "random"])
def test_hosts_that_nobody_asked_for_change_nothing(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Java classes tell the hosts of their splits in every job."""
    cut = TextFormat.splits

    def splits(self: TextFormat, *given: Any) -> list[InputSplit]:
        return [dataclasses.replace(split, hosts=(f"h{n % 2}",)) for n, split in enumerate(cut(self, *given))]

    monkeypatch.setattr(TextFormat, "splits", splits)
    plan, _ = planned("--worker-num", "2", *STREAM, "--conf", f"xlearning.input.stream.order={order}")
    master = handed_out(plan)
    placed = master.placed({WORKER: (Member("h1", (1,)), Member("h0", (2,)))})
    assert placed.streams == master.streams == plan.streams


def test_all_inputs_in_their_order(folder: Path) -> None:
    (folder / "first").write_bytes(b"x")
    plan, _ = planned("--input", "first#z", *STREAM)
    assert shares(plan.streams)[0][:2] == ["first:0+1", "a:0+10"]


def test_the_number_of_workers_stays() -> None:
    plan, config = planned("--worker-num", "9", *STREAM)
    assert plan.workers == 9
    (note,) = plan.notes
    assert note.startswith("2 of 9 workers get no input: there are only 7 splits")
    text = render(plan, config)
    assert "Input in (STREAM): 3 files, 60 B" in text
    assert "Streams (text, neighbours, 1 epoch)" in text
    assert "  worker 8: 0 splits, 0 B" in text
    assert "data/a  10 B from byte 20" in text
    empty = handed_out(plan).stream(Task(WORKER, 8, 1))
    assert empty is not None and not empty.splits


def test_only_workers_are_fed() -> None:
    plan, config = planned(
        *("--app-type", "tensorflow", "--ps-num", "1", "--worker-num", "3", "--tf-evaluator"),
        *("--chief-worker-memory", "2g", *STREAM),
    )
    assert [role.name for role in plan.job.roles][:2] == [PS, CHIEF]
    assert len(plan.streams) == 2
    master = handed_out(plan)
    cluster = {role: tuple(Member("h", (n,)) for n in range(9)) for role in ("worker", "ps", "evaluator")}
    specs = {
        task: launch_spec(plan.job, config, master, Task(*task, 1), cluster)
        for task in ((PS, 0), (WORKER, 0), (WORKER, 1), ("evaluator", 0))
    }
    assert {task: spec.stream is not None for task, spec in specs.items()} == {
        (PS, 0): False,
        (WORKER, 0): True,
        (WORKER, 1): True,
        ("evaluator", 0): False,
    }
    assert [spec.own_files for spec in specs.values()] == [0, 2, 2, 0]
    spec = specs[WORKER, 1]
    assert not spec.fetch and "in" not in spec.folders
    assert from_dict(LaunchSpec, to_dict(spec)) == spec
    assert RoleSpec(CHIEF, 1, 2048, 1) in plan.job.roles


def test_a_plan_that_nobody_looks_at_is_not_read_to_the_end(folder: Path) -> None:
    words = ("--worker-num", "2", *STREAM, "--inputformat", "nline")
    (folder / "data" / "a").write_bytes(b"1\n2\n3\n4\n")
    counts = [
        sum(len(spec.splits) for spec in planned(*words, shown=shown)[0].streams) for shown in (True, False)
    ]
    assert counts[0] > counts[1] == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--input-strategy", "stream"), "input strategy STREAM without an input"),
        ((*STREAM, "--inputformat", "other"), "input format other is not part of this version"),
        ((*STREAM, "--inputformat", "wholefile"), "cannot be fed as text"),
        ((*STREAM, "--inputformat", "fixed"), "needs the length of a record"),
        ((*STREAM, "--conf", r"xlearning.inputformat.key.separator=\q"), r"there is no \q"),
        ((*STREAM, "--input", "x.zst"), "not installed here is backports.zstd (for file://"),
        ((*STREAM, "--input", "hidden"), "hidden holds no file"),
        (
            (*STREAM, *CACHED, "--conf", "hbox.inputformat.cachefile.name=/tmp/c"),
            "/tmp/c cannot be used: it st",
        ),
        ((*STREAM, *CACHED, "--conf", "xlearning.inputformat.cachefile.name=../c"), "it holds .."),
    ],
)
def test_what_cannot_be_streamed(
    folder: Path, words: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "available", lambda _: False)
    (folder / "x.zst").write_bytes(b"x")
    (folder / "hidden").mkdir()
    (folder / "hidden" / "_SUCCESS").write_bytes(b"x")
    with pytest.raises(UsageError) as caught:
        planned(*words)
    assert expected in str(caught.value)


def test_hidden_files(folder: Path) -> None:
    def names(pattern: str, *, hidden: bool) -> list[str]:
        uri = (folder / "data").as_uri() + pattern
        found = files_of(LocalFileSystem(), uri, hidden=hidden)
        assert found is not None
        return [status.path.removeprefix((folder / "data").as_uri()) for status in found]

    assert names("", hidden=False) == ["/a", "/b", "/sub/c"]
    assert names("/*", hidden=False) == ["/a", "/b", "/sub/c"]
    assert names("/_SUCCESS", hidden=False) == ["/_SUCCESS"]
    assert names("/.hidden", hidden=False) == ["/.hidden/d"]
    assert names("/{_SUCCESS,a}", hidden=False) == ["/a"]
    assert names("", hidden=True) == ["/.hidden/d", "/a", "/b", "/sub/.e", "/sub/c"]
