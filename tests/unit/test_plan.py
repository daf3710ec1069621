"""Plans made from command lines, on real local files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from xlearning.client.api.job import Job
from xlearning.client.api.order import request_of
from xlearning.client.planning import inputs, own_disks
from xlearning.client.planning.board import kept_in
from xlearning.client.planning.names import local_name, split_alias, split_list
from xlearning.client.planning.outputs import sweep_remains
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.problems import Problem
from xlearning.client.scan import scan
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config, load
from xlearning.errors import ApplicationNotFound, UsageError
from xlearning.fs import FileSystems
from xlearning.job import (
    AppState,
    BoardSpec,
    InputSpec,
    InputStrategy,
    JobSpec,
    OutputSpec,
    ResourceKind,
    RoleSpec,
    SearchPaths,
)

DEAD = "application_1700000000000_0001"
ALIVE = "application_1700000000000_0002"
FOREIGN = "application_1700000000000_0003"


_KEPT = "file:///tmp/XLearning/eventLog"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (
        "data/a",
        "data/b",
        "data/sub/c",
        "data/.hidden",
        "data/_logs",
        "data/_SUCCESS",
        "train.py",
        "env.tgz",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def report(app_id: str) -> ApplicationReport:
    states = {
        DEAD: ("me", AppState.FAILED),
        ALIVE: ("me", AppState.RUNNING),
        FOREIGN: ("you", AppState.KILLED),
    }
    if app_id not in states:
        raise ApplicationNotFound(f"no {app_id}")
    user, state = states[app_id]
    return ApplicationReport(app_id, "", user, state)


def plan(*words: str, command: Sequence[str] = ("run",)) -> Plan:
    line = scan([*words, *command])
    pairs = [tuple(text.split("=", 1)) for text in line.many("conf")]
    config = load(overrides=[(name, text) for name, text in pairs], options=line.properties(), environ={})
    request = request_of(Job.of_line(line))
    setting = Setting("me", 1700.5, "file://", report, local=line.given("local"))
    made = make_plan(request, config, FileSystems("file://"), setting, problems=line.problems)
    return replace(made, notes=(*line.notes, *made.notes))


def job(*words: str, command: Sequence[str] = ("run",)) -> JobSpec:
    return plan(*words, command=command).job


def refusal(*words: str, command: Sequence[str] = ("run",)) -> str:
    with pytest.raises(UsageError) as caught:
        plan(*words, command=command)
    return str(caught.value)


def instances(spec: JobSpec) -> dict[str, int]:
    return {role.name: role.instances for role in spec.roles}


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b", ["a", "b"]),
        ("/x/{a,b}/*,/y", ["/x/{a,b}/*", "/y"]),
        ("{a,{b,c}},d", ["{a,{b,c}}", "d"]),
        ("a\\,b,c", ["a\\,b", "c"]),
        ("a,,b,", ["a", "b"]),
        ("", []),
    ],
)
def test_split_list(text: str, parts: list[str]) -> None:
    assert split_list(text) == parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [("/a#b", ("/a", "b")), ("/a", ("/a", None)), ("/a#b#c", ("/a#b", "c")), ("/a#", ("/a", ""))],
)
def test_split_alias(text: str, expected: tuple[str, str | None]) -> None:
    assert split_alias(text) == expected


@pytest.mark.parametrize("name", ["", " ", "/etc", "..", "a/../b", "a/..", ".", "./", "hdfs://x", "a\nb"])
def test_names_that_lead_out(name: str) -> None:
    with pytest.raises(ValueError, match="it "):
        local_name(name)


@pytest.mark.parametrize(
    ("name", "short"), [("a", "a"), ("./a/", "a"), ("a//b", "a/b"), ("a b=1%é", "a b=1%é")]
)
def test_plain_names(name: str, short: str) -> None:
    assert local_name(name) == short


# ---- command -------------------------------------------------------------------------------------


def test_positional_words_arrive_as_given() -> None:
    assert job(command=("python", "a b", '"q"', "$HOME", "")).command == ("python", "a b", '"q"', "$HOME", "")


def test_launch_cmd_is_split_as_by_a_shell() -> None:
    spec = job("--launch-cmd", "python t.py --name 'a b' $HOME", command=())
    assert spec.command == ("python", "t.py", "--name", "a b", "$HOME")


def test_positional_words_win_with_a_note() -> None:
    made = plan("--launch-cmd", "other", command=("mine",))
    assert made.job.command == ("mine",)
    assert any("--launch-cmd is ignored" in note for note in made.notes)


def test_no_command() -> None:
    assert "no command" in refusal(command=())
    assert "no command" in refusal("--launch-cmd", "  ", command=())


@pytest.mark.parametrize("words", [["--", "", "x"], ["--launch-cmd", "'' x"]])
def test_a_command_without_a_name(words: list[str]) -> None:
    assert "the command's name is empty" in refusal(*words, command=())


def test_more_containers_than_local_slots() -> None:
    words = ["--app-type", "TENSORFLOW", "--worker-num", "3", "--ps-num", "1", "--tf-evaluator", "true"]
    assert "4 containers would never run at once" in refusal("--local", "--local-slots", "3", *words)
    assert plan("--local", "--local-slots", "4", *words).job.roles
    assert plan("--local-slots", "3", *words).job.roles


def test_unbalanced_quotes() -> None:
    assert "no closing quotation" in refusal("--launch-cmd", "echo 'x", command=())


# ---- roles ---------------------------------------------------------------------------------------


def test_defaults() -> None:
    spec = job()
    assert spec.roles == (RoleSpec("worker", 1, 1024, 1),)
    assert (spec.app_type, spec.app_name, spec.user) == ("XLEARNING", "XLearning-1700500", "me")
    assert spec.board == BoardSpec(True, 0, "eventLog", 1, history=_KEPT)
    assert spec.input_strategy is InputStrategy.DOWNLOAD


def test_ps_and_workers() -> None:
    spec = job(
        "--app-type", "tensorflow", "--worker-num", "2", "--ps-num=1", "--ps-memory", "2g", "--worker-cores=3"
    )
    assert spec.roles == (RoleSpec("ps", 1, 2048, 1), RoleSpec("worker", 2, 1024, 3))


def test_mxnet_without_servers_is_independent_copies() -> None:
    assert job("--app-type", "mxnet", "--worker-num", "2").roles == (RoleSpec("worker", 2, 1024, 1),)


def test_ps_for_a_type_without() -> None:
    text = refusal("--app-type", "pytorch", "--ps-num", "2")
    assert "type PYTORCH has no parameter servers" in text
    assert "--ps-num" in text


def test_chief_is_a_role_of_its_own_where_its_memory_differs() -> None:
    words = ("--app-type", "TENSORFLOW", "--worker-num", "3", "--worker-cores", "2")
    spec = job(*words, "--chief-worker-memory", "4g")
    assert spec.roles == (RoleSpec("chief", 1, 4096, 2), RoleSpec("worker", 2, 1024, 2))
    assert instances(job(*words, "--chiefworker-memory", "1024")) == {"worker": 3}
    assert instances(job(*words[2:], "--chief-worker-memory", "4g")) == {"worker": 3}


def test_a_lone_worker_gets_the_memory_of_the_chief() -> None:
    assert job("--app-type=TENSORFLOW", "--chief-worker-memory=4g").roles == (RoleSpec("worker", 1, 4096, 1),)


def test_evaluator_is_the_last_of_the_workers() -> None:
    words = (
        "--app-type",
        "TENSORFLOW",
        "--worker-num",
        "3",
        "--tf-evaluator",
        "true",
        "--conf",
        "xlearning.tf.distribution.strategy=true",
        "--evaluator-worker-memory",
        "2g",
    )
    assert job(*words).roles == (RoleSpec("worker", 2, 1024, 1), RoleSpec("evaluator", 1, 2048, 1))


@pytest.mark.parametrize(
    "words",
    [
        ["--app-type", "TENSORFLOW", "--ps-num", "1"],
        ["--worker-num", "3"],
        ["--app-type", "TENSORFLOW", "--worker-num", "3"],
    ],
)
def test_evaluator_without_effect_is_told(words: list[str]) -> None:
    made = plan(*words, "--tf-evaluator")
    assert "evaluator" not in instances(made.job)
    assert instances(made.job)["worker"] == (3 if "--worker-num" in words else 1)
    assert any("--tf-evaluator has no effect" in note for note in made.notes)


def test_memory_for_an_evaluator_that_nobody_asked_for() -> None:
    words = ("--app-type", "TENSORFLOW", "--worker-num", "2", "--evaluator-worker-memory", "2g")
    (told,) = [note for note in plan(*words).notes if "no evaluator" in note]
    assert told.startswith("--evaluator-worker-memory 2g has no effect")
    assert not [note for note in plan(*words, "--tf-evaluator").notes if "no evaluator" in note]


def test_fewer_files_than_workers() -> None:
    made = plan("--worker-num", "9", "--input", "data#d")
    assert instances(made.job) == {"worker": 5}
    assert made.notes == (
        "5 workers instead of 9: the smallest input has 5 files "
        "(--conf xlearning.workers.match.files=false keeps the number)",
    )


def test_the_smallest_input_counts_but_not_an_empty_one(folder: Path) -> None:
    (folder / "void").mkdir()
    made = plan(
        *("--worker-num", "9", "--input", "data#d", "--input", "data/sub#s", "--input", "void#v"),
        "--allow-empty-input",
    )
    assert instances(made.job) == {"worker": 1}


def test_the_evaluator_is_not_counted_and_the_chief_is() -> None:
    words = ("--app-type=TENSORFLOW", "--worker-num=9", "--tf-evaluator", "--chief-worker-memory=2g")
    made = plan(*words, "--ps-num=1", "--input", "data#d")
    assert instances(made.job) == {"ps": 1, "chief": 1, "worker": 4, "evaluator": 1}
    assert made.workers == 5


def test_the_number_of_workers_can_be_kept() -> None:
    made = plan("--worker-num=9", "--input=data#d", "--conf", "xlearning.workers.match.files=false")
    assert instances(made.job) == {"worker": 9}
    assert made.notes == ("9 workers for 5 files: some workers get no file",)


# ---- inputs --------------------------------------------------------------------------------------


def test_every_file_counts_and_paths_are_absolute(folder: Path) -> None:
    made = plan("--input", "data#d")
    assert made.job.inputs[0].local == "d"
    assert made.job.inputs[0].patterns == (f"file://{folder}/data",)
    names = [status.path.removeprefix(f"file://{folder}/data/") for status in made.listings[0].files]
    assert names == [".hidden", "_logs", "a", "b", "sub/c"]


def test_equal_local_names_are_joined_in_order(folder: Path) -> None:
    inputs = job("--input", "data/b#x", "--input", "train.py#y", "--input", "data/a,env.tgz#x").inputs
    assert [spec.local for spec in inputs] == ["x", "y"]
    assert inputs[0].patterns == tuple(f"file://{folder}/{name}" for name in ("data/b", "data/a", "env.tgz"))


def test_an_output_may_go_to_several_places(folder: Path) -> None:
    outputs = job("--output", "o,/p , q\\,r#m", "--output", "s").outputs
    assert [(spec.remote, spec.local) for spec in outputs] == [
        *((f"file://{folder}/o", "m"), ("file:///p", "m"), (f"file://{folder}/q,r", "m")),
        (f"file://{folder}/s", "output"),
    ]
    streamed = refusal("--output-strategy", "stream", "--output", "o,p")
    assert "writes to one output, and there are 2" in streamed
    assert "names no path" in refusal("--output", ",#m")


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("m/a#a,m/b#b", "write one --output each: --output m/a#a --output m/b#b"),
        ("x#model#v2", "write --output PATH#NAME: neither of them can hold a #"),
        ("x#a,b#c#d", "write --output PATH#NAME: neither of them can hold a #"),
    ],
)
def test_an_output_has_one_name(text: str, fix: str) -> None:
    assert f"--output {text} holds more than one #\n  hint: {fix}" in refusal("--output", text)


def test_default_local_names() -> None:
    spec = job("--input", "data/a", "--output", "out")
    assert (spec.inputs[0].local, spec.outputs[0].local) == ("input", "output")
    assert job("--output", "out", "--conf", "xlearning.output.local.dir=model").outputs[0].local == "model"


def test_glob_with_a_comma_inside_braces() -> None:
    made = plan("--input", "data/{a,b}#d")
    assert [status.name for status in made.listings[0].files] == ["a", "b"]


def test_a_file_that_two_patterns_match_counts_once() -> None:
    assert len(plan("--input", "data/a,data/*#d").listings[0].files) == 5


def test_strange_names(folder: Path) -> None:
    (folder / "odd").mkdir()
    for name in ("a b", "p=1", "50%", "é", "x?y"):
        (folder / "odd" / name).touch()
    assert {status.name for status in plan("--input", "odd#d").listings[0].files} == {
        path.name for path in Path("odd").iterdir()
    }


def test_equal_base_names(folder: Path) -> None:
    (folder / "data/sub/a").touch()
    text = refusal("--input", "data#d")
    assert f"{folder}/data/a and file://{folder}/data/sub/a would both become d/a" in text
    assert "--isRenameInputFile" in text
    assert job("--input", "data#d", "--isRenameInputFile")
    assert (
        job("--input", "data#d", "--input-strategy", "placeholder").input_strategy
        is InputStrategy.PLACEHOLDER
    )
    assert job("--input", "data/a#d", "--input", "data/sub/a#e")


def test_empty_folder(folder: Path) -> None:
    (folder / "void").mkdir()
    assert "--allow-empty-input" in refusal("--input", "void#v")
    assert plan("--input", "void#v", "--allow-empty-input").listings[0].files == ()
    assert "matches nothing" in refusal("--input", "nowhere#v", "--allow-empty-input")


def test_an_input_that_lies_on_this_machine_and_not_on_hdfs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clouds").mkdir()
    found: list[Problem] = []

    monkeypatch.setattr(FileSystems, "of", lambda *_: None)
    specs = [InputSpec("data", ("hdfs://nn/user/me/clouds", "hdfs://nn/user/me/rain"))]
    monkeypatch.setattr(inputs, "files_of", lambda *_args, **_more: None)
    inputs.list_inputs(specs, FileSystems("hdfs://nn"), allow_empty=False, problems=found)
    assert [problem.fix for problem in found] == [
        "clouds is in this folder: copy it with hdfs dfs -put, or correct the path",
        "correct the path",
    ]


# ---- outputs -------------------------------------------------------------------------------------


def test_outputs_keep_their_order(folder: Path) -> None:
    made = plan("--output", "z#m", "--output", "y/#n", "--output", "file:///tmp/never-there#m")
    assert [(spec.remote, spec.local) for spec in made.job.outputs] == [
        (f"file://{folder}/z", "m"),
        (f"file://{folder}/y", "n"),
        ("file:///tmp/never-there", "m"),
    ]


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("out#_SUCCESS", "kept for the commit itself"),
        ("out#_temporary/x", "kept for the commit itself"),
        ("out\udcff#m", "not UTF-8"),
        ("out#m\udcff", "not UTF-8"),
    ],
)
def test_outputs_whose_names_cannot_be_published(word: str, why: str) -> None:
    assert why in refusal("--output", word)


def test_output_that_exists() -> None:
    assert "data exists already" in refusal("--output", "data#d")
    for read in ("data#in", "data/*#in", "data/sub/#in"):
        words = refusal("--input", read, "--output", "data#d")
        assert "data exists already, and the job reads it" in words and "rm -r" not in words
    assert "is a file" in refusal("--output", "train.py#d")
    assert "is the root" in refusal("--output", "/#d")


@pytest.mark.parametrize(
    ("children", "why"),
    [
        (
            [f"_temporary/{ALIVE}_000001"],
            f"is being written by {ALIVE}, which is RUNNING\n  hint: choose another folder, or wait",
        ),
        ([f"_temporary/{FOREIGN}_000001"], "which belongs to you"),
        (["_temporary/application_1700000000000_0009_000001"], "not known here"),
        (["_temporary/0"], "of another program"),
        ([f"_temporary/{DEAD}_000001", "part-0"], "exists already"),
        ([f"_temporary/{DEAD}_000001", f"_temporary/{ALIVE}_000001"], "is being written"),
        (["."], "exists already"),
        (["interResult_2026_11_29_20_39_31/c"], "models that were saved while a job ran"),
        ([f"_temporary/{DEAD}_000001", "interResult_1"], "move what was saved"),
        (["interResult_1"], "keep it beside the new output: --output-existing merge"),
        ([f"_temporary/{ALIVE}_000001", "interResult_1"], "is being written"),
        (["_SUCCESS", "interResult_1"], "exists already"),
    ],
)
def test_outputs_that_are_in_use(folder: Path, children: list[str], why: str) -> None:
    for child in children:
        (folder / "out" / child).mkdir(parents=True)
    assert why in refusal("--output", "out#m")


@pytest.mark.parametrize("prefix", ["/../up_", "a/../../b", "_temporary/x", "/_SUCCESS"])
def test_saves_stay_inside_the_output(prefix: str) -> None:
    words = refusal("--conf", f"xlearning.interresult.dir={prefix}")
    assert f"xlearning.interresult.dir={prefix}" in words and "interResult_" in words


@pytest.mark.parametrize("prefix", ["", "/", "model-", "/saved/interResult_"])
def test_saves_may_be_called_otherwise(prefix: str) -> None:
    assert plan("--conf", f"xlearning.interresult.dir={prefix}")


def test_remains_of_a_dead_application_are_swept(folder: Path) -> None:
    (folder / f"out/_temporary/{DEAD}_000001/container_1/model").mkdir(parents=True)
    made = plan("--output", "out#m")
    assert made.sweep == (f"file://{folder}/out",)
    assert (folder / "out/_temporary").exists()
    (folder / f"out/_temporary/{ALIVE}_000001/container_1").mkdir(parents=True)  # begun in the meantime
    sweep_remains(made.sweep, FileSystems("file://"), user="me", report=report)
    assert [path.name for path in (folder / "out/_temporary").iterdir()] == [f"{ALIVE}_000001"]


def test_paths_below_a_file_are_problems() -> None:
    assert "train.py is a file" in refusal("--output", "train.py/x/y#m")
    assert "train.py/x" in refusal("--input", "train.py/x#m")
    assert "train.py/x" in refusal("--files", "train.py/x")


def test_outputs_that_overlap() -> None:
    assert "lies inside output" in refusal("--output", "o#a", "--output", "o/inner#b")
    assert "is given twice" in refusal("--output", "o#a", "--output", "o/#a")
    assert len(job("--output", "o#a", "--output", "o#b", "--output", "oo#a").outputs) == 3


@pytest.mark.parametrize(("index", "expected"), [("-1", None), ("0", 0), ("1", 1)])
def test_output_index(index: str, expected: int | None) -> None:
    assert job("--worker-num", "2", "--output-index", index).output_index == expected


@pytest.mark.parametrize("index", ["2", "-2", "x", "1.5"])
def test_bad_output_index(index: str) -> None:
    assert f"--output-index {index}" in refusal("--worker-num", "2", "--output-index", index)


# ---- files and archives --------------------------------------------------------------------------


def test_resources(folder: Path) -> None:
    made = plan(
        "--files",
        "train.py,data/a",
        "--cacheArchive",
        "env.tgz#env",
        "--cacheFile",
        f"file://{folder}/data/b",
    )
    assert [(item.name, item.kind, item.uri) for item in made.job.resources] == [
        ("train.py", ResourceKind.FILE, f"file://{folder}/train.py"),
        ("a", ResourceKind.FILE, f"file://{folder}/data/a"),
        ("b", ResourceKind.FILE, f"file://{folder}/data/b"),
        ("env", ResourceKind.ARCHIVE, f"file://{folder}/env.tgz"),
    ]


def test_a_cache_file_may_be_a_folder() -> None:
    (resource,) = job("--cacheFile", "data#d").resources
    assert (resource.name, resource.kind) == ("d", ResourceKind.FILE)


def test_resources_given_twice_count_once() -> None:
    assert len(job("--files", "train.py", "--files", "train.py,./train.py").resources) == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--files", "nothere.py"], "there is no file://"),
        (["--files", "nothere.py#s.py"], "correct the path"),
        (["--files", "train.py#s.py"], "--files gives no other name: write --cacheFile 'file:///"),
        (["--files", "train.py#"], "correct the path"),
        (["--files", "data"], "is a folder"),
        (["--files", "hdfs://nn/x"], "--cacheFile hdfs://nn/x"),
        (["--archiveFiles", "hdfs://nn/x.tgz"], "--cacheArchive hdfs://nn/x.tgz"),
        (["--files", "data/a", "--cacheFile", "train.py#a"], "would both be named a"),
        (["--cacheFile", "train.py#../x"], "it holds .."),
        (["--cacheFile", "train.py#/x"], "it starts with /"),
        (["--cacheArchive", "env.tgz#a/b"], "it holds a slash"),
        (["--cacheFile", "gs://x/y"], "no file system"),
        (["--archiveFiles", "env.tgz#d", "--input", "data#d"], "the input folder d"),
        (["--archiveFiles", "env.tgz#d", "--output", "out#d/x"], "the output folder d/x"),
    ],
)
def test_bad_resources(words: list[str], why: str) -> None:
    assert why in refusal(*words)


def test_an_alias_may_equal_an_input_that_is_not_downloaded() -> None:
    assert job("--archiveFiles", "env.tgz#d", "--input", "data#d", "--input-strategy=PLACEHOLDER")


# ---- the rest ------------------------------------------------------------------------------------


def test_environment_and_properties() -> None:
    spec = job(
        "--conf", "xlearning.container.env.A=b=c", "--conf", "hbox.container.env.B=2", "--worker-num=2"
    )
    assert spec.env == {"A": "b=c", "B": "2"}
    assert spec.properties["xlearning.worker.num"] == "2"
    again = Config.from_properties(spec.properties)
    assert again.get("xlearning.worker.num") == 2


def test_board(folder: Path) -> None:
    words = ("--worker-num", "2", "--board-index", "1", "--board-reloadinterval", "7")
    assert job(*words, "--board-logdir", "logs").board == BoardSpec(True, 1, "logs", 7, history=_KEPT)
    assert job("--board-logdir", str(folder)).board.log_dir == str(folder)
    assert not job("--board-enable", "false").board.enabled
    assert "--board-index 2" in refusal("--worker-num", "2", "--board-index", "2")


def test_board_beside_a_parameter_server() -> None:
    words = ("--app-type", "tensorflow", "--conf", "xlearning.tf.board.ps.enable=true", "--board-index", "1")
    made = job(*words, "--ps-num", "2").board
    assert (made.role, made.index) == ("ps", 1)
    assert "beside parameter server 1, but there are 1" in refusal(*words, "--ps-num", "1")


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (("--app-type", "visualdl"), "VisualDL"),
        (("--conf", "xlearning.board.path=visualdl"), "VisualDL"),
        (("--board-modelpb", "m.onnx"), "VisualDL"),
        (("--board-cacheTimeout", "5"), "VisualDL"),
        (("--conf", "xlearning.board.path=visualDL"), "TensorBoard"),  # as old site files have it
        (("--app-type", "tensorflow", "--board-modelpb", "m.onnx"), "TensorBoard"),
    ],
)
def test_which_board(words: tuple[str, ...], program: str) -> None:
    assert job(*words).board.program == program


def test_where_event_files_are_kept(folder: Path) -> None:
    assert job("--board-historydir", str(folder)).board.history == folder.as_uri()
    made = job("--board-historydir", "/kept", "--board-logdir", "logs").board
    assert kept_in(made, "application_1_2") == "file:///kept/application_1_2"
    made = job("--board-logdir", "hdfs://nn:9000/logs").board
    assert kept_in(made, "application_1_2") == "hdfs://nn:9000/logs"


def test_board_moves_to_worker_0_where_its_worker_went_away() -> None:
    assert job("--board-index", "4").board.index == 0
    made = plan("--worker-num", "9", "--input", "data#d", "--board-index", "7")
    assert made.job.board.index == 0
    assert any("beside worker 0" in note for note in made.notes)


def test_all_problems_are_told_at_once() -> None:
    text = refusal(
        *("--input", "nowhere#d", "--input", "data#../x", "--files", "no.py", "--output", "data#m"),
        *(
            "--output",
            "data/x#m",
            "--output-index",
            "7",
            "--ps-num",
            "1",
            "--bogus",
            "--cacheFile",
            "s3://a/b",
        ),
        command=(),
    )
    assert text.startswith("10 problems:")
    assert text.count("fix: ") == 10


# ---- what the program finds ----------------------------------------------------------------------


def test_a_command_in_one_more_pair_of_quotes() -> None:
    for text in ('"python train.py --x 1"', "python train.py --x 1"):
        assert job("--launch-cmd", text, command=()).command == ("python", "train.py", "--x", "1")
    assert job("--launch-cmd", "'my program'", command=()).command == ("my program",)
    assert job("--launch-cmd", '"my program" "a b"', command=()).command == ("my program", "a b")


def test_jars_are_shipped_and_named(folder: Path) -> None:
    (folder / "lib").mkdir()
    (folder / "lib" / "a#1.jar").write_text("")
    spec = job("--jars", "lib/a#1.jar,train.py", "--files", "train.py", "--user-classpath-first=false")
    assert [item.name for item in spec.resources] == ["train.py", "a#1.jar"]
    assert spec.search == SearchPaths(("a#1.jar", "train.py"), jars_first=False)
    for words, expected in (
        (("--jars", "gone.jar"), "--jars: there is no file://"),
        (("--jars", "data"), "data is a folder"),
        (("--jars", "train.py", "--cacheFile", "data/a#train.py"), "would both be named train.py"),
        (("--jars", "nosuch://x/a.jar"), "no file system"),
    ):
        assert expected in refusal(*words)


def test_variables_of_options_and_properties() -> None:
    spec = job(
        "--conf", "hbox.container.env.A=${user.home}x", "--env", "B=${user.home}$", "--template", "--env=A=1"
    )
    assert spec.env == {"A": "1", "B": "${user.home}$"}
    assert spec.template and "xlearning.container.env.B" not in spec.properties
    assert "--env =x is not a pair" in refusal("--env", "=x")


OVERWRITE = ("--output-existing", "overwrite")


def test_what_the_job_reads_is_not_overwritten(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "data" / "sub")
    (folder / "data" / "lib").mkdir()
    held = "which the job reads, and overwrite would delete it"
    assert f"/data holds file://{folder}/link/c, {held}" in refusal(
        "--local", "--input", "link#in", "--output", "data#out", *OVERWRITE
    )
    assert held in refusal("--files", "data/a", "--output", "data#out", *OVERWRITE)
    assert held in refusal("--cacheFile", "data/lib", "--output", "data/lib#out", *OVERWRITE)
    failed = ("--conf", "xlearning.failed.upload=true", "--output", "data/lib#out")
    for mode in ("overwrite", "merge"):
        words = refusal(*failed, "--output-existing", mode)
        assert f"{mode} and xlearning.failed.upload=true: a job that fails would replace what" in words
    assert job("--input", "data/sub#in", "--output", "data/lib#out", *OVERWRITE).outputs
    assert job("--input", "data#in", "--output", "data#out", "--output-existing", "merge").outputs


def test_saved_models_are_told_where_they_are_read_and_where_they_go(folder: Path) -> None:
    saved = folder / "data" / "sub" / "interResult_2026_11_29_20_39_31"
    saved.mkdir()
    (saved / "w").write_text("")
    words = "1 saved model in", "holds 1 file of 1 saved model"
    for mode, told in (("overwrite", (True, False)), ("merge", (False, False))):
        notes = "\n".join(plan("--output", "data/sub#m", "--output-existing", mode).notes)
        assert tuple(word in notes for word in words) == told
    assert words[1] in "\n".join(plan("--input", "data#d").notes)


def test_a_placeholder_is_told() -> None:
    assert any("${index} stays as it is" in note for note in plan(command=("x", "${index}")).notes)


def test_paths_of_this_machine_for_a_cluster_are_noticed() -> None:
    inputs = [InputSpec("data", ("file:///data/a", "hdfs://nn/b", "file:///data/a"))]
    outputs = [OutputSpec("file:///models", "m"), OutputSpec("hdfs://nn/models", "n")]
    notes: list[str] = []
    own_disks.tell(inputs, outputs, "hdfs://nn", FileSystems(), notes)
    first, second = notes
    assert first.startswith("input file:///data/a was looked at on this machine: every node must have")
    assert second.startswith("output file:///models is on a disk: every node must reach")
    own_disks.tell(inputs, outputs, "file://", FileSystems(), notes)
    assert len(notes) == 2


@pytest.mark.parametrize(
    ("written", "meant"),
    [("tensorflw", "TENSORFLOW"), ("torch", "DISTTORCH"), ("pytorc", "PYTORCH"), ("horovd", "HOROVOD")],
)
def test_a_type_that_was_meant_otherwise_is_noticed(written: str, meant: str) -> None:
    notes = plan("--app-type", written, "--worker-num", "2").notes
    assert any(f"type {written.upper()} runs independent workers; did you mean {meant}?" in n for n in notes)
    assert not any("did you mean" in note for note in plan("--app-type", "keras").notes)


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (("--app-type", "pytorch"), "--app-type DISTTORCH lets them train one"),
        (("--app-type", "xgboost"), "--app-type DISTXGBOOST lets them train one"),
        (("--app-type", "tensorflow"), "xlearning.tf.distribution.strategy=true lets them train one"),
        (("--app-type", "spark"), "no type is called SPARK: its 2 workers do not know one another"),
    ],
)
def test_workers_that_train_alone_are_told(words: tuple[str, ...], note: str) -> None:
    assert any(note in told for told in plan(*words, "--worker-num", "2").notes)
    assert not any("train" in told or "know" in told for told in plan(*words).notes)


@pytest.mark.parametrize(
    ("name", "strategy", "title"),
    [
        ("input", InputStrategy.DOWNLOAD, "Input in ./input"),
        ("d", InputStrategy.DOWNLOAD, "Input d"),
        ("input", InputStrategy.PLACEHOLDER, "Input input"),
    ],
)
def test_what_an_input_is_called(name: str, strategy: InputStrategy, title: str) -> None:
    assert inputs.Listing(InputSpec(name, ()), ()).title(strategy) == title
