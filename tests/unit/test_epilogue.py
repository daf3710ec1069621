"""The last words about an application, and the lines about what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from job_samples import APP, container, save, snapshot

from xlearning.client.following.changes import changes, summary
from xlearning.client.following.epilogue import epilogue, first_failure
from xlearning.client.following.exits import NODES, RESERVED, THIS_MACHINE, hint, reserved
from xlearning.client.following.outcome import published, saves_of
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.exit_words import out_of_memory, words
from xlearning.config import Config
from xlearning.container.bootstrap import EXIT_WORDS
from xlearning.fs import FileSystems
from xlearning.job import (
    VISUALDL,
    AppState,
    BoardView,
    ContainerState,
    JobSpec,
    OutputSpec,
    OutputStrategy,
    RoleSpec,
    SaveState,
)


def report(state: AppState, diagnostics: str = "") -> ApplicationReport:
    return ApplicationReport(APP, "n", "me", state, diagnostics, submitted=100.0, finished=165.0)


def text(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def test_success_names_outputs() -> None:
    lines = epilogue(
        report(AppState.SUCCEEDED), snapshot(), published={"file:///out": ["m/"], "file:///o2": []}
    )
    assert lines == [
        f"{APP} SUCCEEDED after 1m 05s",
        "  Output: file:///out",
        "    m/",
        "  Output: file:///o2",
        "    (empty: the program wrote nothing)",
    ]


def test_saves_are_not_told_as_published(tmp_path: Path) -> None:
    own, mine = "interResult_2026_11_29_20_39_31", "interResult_of_mine"
    for name in (own, mine, "at_2026_11_29_20_39_31", "model"):
        (tmp_path / name).mkdir()
    (tmp_path / "interResult_2026_11_29_20_39_32").write_text("a file of the user")
    (tmp_path / "_SUCCESS").touch()
    remote = tmp_path.as_uri()
    job = JobSpec(
        *(APP, "n", "T", "me", ("x",), (RoleSpec("worker", 1, 1024, 1),), "file:///staging", "file://"),
        outputs=(OutputSpec(remote, "model"),),
    )
    fss = FileSystems("file://")
    names = published(job, fss, saves_of(job, Config.from_properties({})))[remote]
    assert names == ["at_2026_11_29_20_39_31/", "interResult_2026_11_29_20_39_32", f"{mine}/", "model/"]
    other = replace(job, properties={"xlearning.interresult.dir": "/at_"})
    names = published(other, fss, saves_of(other, Config.from_properties({})))[remote]
    assert f"{own}/" in names and "at_2026_11_29_20_39_31/" not in names
    saved = snapshot(saves=(save(1, SaveState.SUCCEEDED),))
    lines = epilogue(report(AppState.SUCCEEDED), saved, published={"file:///out": ["m/"]})
    assert lines[1:] == ["  Output: file:///out", "    m/", "  Saved: file:///out/r1"]


def test_success_names_containers_that_failed() -> None:
    bad = container(1, ContainerState.FAILED, exit_code=3)
    lines = epilogue(report(AppState.SUCCEEDED), snapshot(container(0, ContainerState.SUCCEEDED), bad))
    assert "although 1 of its containers failed" in text(lines)
    assert "worker:1 (c1 on node1): exit code 3" in text(lines)


def test_failure_tells_the_first_container_its_lines_and_where_the_logs_are() -> None:
    first = container(
        1, ContainerState.FAILED, exit_code=3, ended=1, last_lines=tuple(f"line {n}" for n in range(30))
    )
    later = container(0, ContainerState.LOST, ended=2)
    unknown = container(2, ContainerState.FAILED, ended=3)
    lines = epilogue(
        report(AppState.FAILED, "worker:1 failed"),
        snapshot(unknown, later, first),
        logs={"stderr": "/l/stderr"},
    )
    assert lines[0] == f"{APP} FAILED after 1m 05s: worker:1 failed"
    assert lines[1] == "  First to fail: worker:1 (c1 on node1): exit code 3"
    assert lines[2:5] == ["  Its last 20 lines:", "    | line 10", "    | line 11"]
    assert lines[-2:] == ["    | line 29", "  Logs: /l/ (stderr)"]


def test_output_that_nobody_wrote_is_said() -> None:
    empty = snapshot(container(0, ContainerState.SUCCEEDED), outputs=(OutputSpec("file:///out", "model"),))
    for names in (["model/"], ["c0/", "and 3 more"], []):
        lines = epilogue(report(AppState.SUCCEEDED), empty, published={"file:///out": names})
        assert lines[1:] == ["  Output: file:///out", "    (empty: no program wrote to ./model)"]
    streamed = replace(empty, output_strategy=OutputStrategy.STREAM)
    lines = epilogue(report(AppState.SUCCEEDED), streamed, published={"file:///out": []})
    assert lines[-1] == "    (empty: no program wrote to standard output)"
    by_itself = epilogue(report(AppState.SUCCEEDED), empty, published={"file:///out": ["c0/", "direct"]})
    assert by_itself[1:] == ["  Output: file:///out", "    c0/", "    direct"]


def test_more_memory_than_granted_has_a_hint() -> None:
    lost = container(0, ContainerState.LOST, ended=1, reason="179 MB of 128 MB physical memory used; killed")
    assert "--worker-memory" in epilogue(report(AppState.FAILED, "worker:0 failed"), snapshot(lost))[-1]


def test_out_of_memory_is_one_sentence_with_the_way_out() -> None:
    why = out_of_memory("900 of 1024 MB", "worker")
    assert why == "out of memory: 900 of 1024 MB; --worker-memory (xlearning.worker.memory) gives it more"
    ended = container(0, ContainerState.FAILED, ended=1, exit_code=143, reason=why)
    lines = epilogue(report(AppState.FAILED, f"worker:0 (c0 on node0): {why}"), snapshot(ended))
    assert lines == [
        f"{APP} FAILED after 1m 05s: worker:0 (c0 on node0): {why}",
        "  First to fail: worker:0 (c0 on node0)",
    ]
    assert out_of_memory("1 of 1 GB", "chief").endswith(
        "--chief-worker-memory (xlearning.chief.worker.memory) gives it more"
    )
    assert out_of_memory("1 of 1 GB", "scheduler").endswith(
        "--conf xlearning.scheduler.memory=MEMORY gives it more"
    )


def test_what_the_reason_says_is_not_said_twice() -> None:
    first = container(0, ContainerState.FAILED, exit_code=137)
    lines = epilogue(
        report(AppState.FAILED, "worker:0 failed: exit code 137: killed (SIGKILL)"), snapshot(first)
    )
    assert lines[1] == "  First to fail: worker:0 (c0 on node0)"
    assert "run out of memory" in lines[-1]


def test_logs_in_one_folder_are_one_line_with_the_program_first() -> None:
    logs = {"agent.log": "/l/agent.log", "stdout": "/l/stdout", "stderr": "/l/stderr"}
    assert epilogue(report(AppState.FAILED), None, logs=logs)[1:] == [
        "  Logs: /l/ (stderr, stdout, agent.log)"
    ]
    apart = {"b": "http://h/b?x=1", "a": "/l/a"}
    assert epilogue(report(AppState.FAILED), None, logs=apart)[1:] == [
        "  Log a: /l/a",
        "  Log b: http://h/b?x=1",
    ]


def test_the_way_out_that_a_reason_brings_along_stands_where_hints_stand() -> None:
    lines = epilogue(report(AppState.FAILED, "worker:0: no such image\n  hint: correct the image"), None)
    assert lines[1:] == ["  hint: correct the image"]
    reason = "worker:0: no such image\n  hint: correct the image\n1 of 2 failed"
    first = container(0, ContainerState.FAILED, exit_code=1)
    lines = epilogue(report(AppState.FAILED, reason), snapshot(first), logs={"agent.log": "/l/agent.log"})
    assert lines[1] == "  1 of 2 failed"
    assert lines[-2:] == ["  Logs: /l/ (agent.log)", "  hint: correct the image"]


def test_what_ours_say_in_the_programs_place_needs_no_hint() -> None:
    said = "xlearning: no mpirun of Open MPI on this node: install it"
    assert hint(127, ["x", said]) == ""
    assert hint(127, [said, "x"]) != ""


def test_long_diagnostics_are_cut() -> None:
    lines = epilogue(report(AppState.FAILED, "\n".join(f"d{n}" for n in range(90))), None)
    assert lines[0].endswith("FAILED after 1m 05s: d0")
    assert len(lines) == 21
    assert lines[-1] == "  d89"


def test_killed_before_anything_was_seen() -> None:
    assert epilogue(report(AppState.KILLED), None) == [f"{APP} KILLED after 1m 05s"]


def test_reason_of_the_snapshot_stands_in() -> None:
    assert "no such node" in epilogue(report(AppState.FAILED), snapshot(reason="no such node"))[0]


def test_first_failure_of_none() -> None:
    assert first_failure(None) is None
    assert first_failure(snapshot(container(0, ContainerState.STOPPED))) is None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0, "exit code 0"),
        (3, "exit code 3"),
        (127, "exit code 127: command not found"),
        (137, "exit code 137: killed (SIGKILL)"),
        (143, "exit code 143: terminated (SIGTERM)"),
        (139, "exit code 139: segmentation fault (SIGSEGV)"),
        (160, "exit code 160: ended by signal 32"),
        (231, "exit code 231"),
        (-104, "exit code -104: the container used more memory than it asked for"),
    ],
)
def test_exit_codes_in_words(code: int, expected: str) -> None:
    assert words(code).startswith(expected)


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        (
            1,
            "ModuleNotFoundError: No module named 'torch.nn'",
            "no module torch.nn: --files torch.py ships one",
        ),
        (1, "ModuleNotFoundError: No module named 'torch'", "installed on the nodes, or travel in an env"),
        (2, "python: can't open file '/tmp/w/train.py': [Errno 2] No such file", "--files train.py"),
        (137, "", "memory"),
        (1, "MemoryError", "memory"),
        (127, "", "PATH"),
        (127, 'docker: runc create failed: exec: "x": executable file not found in $PATH', "the image has"),
        (139, "", "native"),
        (143, "", "told to end"),
        (-100, "", "run it again"),
        (-102, "", "in a queue with room"),
    ],
)
def test_hints(code: int, line: str, expected: str) -> None:
    assert expected in hint(code, [line])
    assert hint(1, ["anything"]) == ""


@pytest.mark.parametrize("what", ["input could not be read", "output could not be written"])
@pytest.mark.parametrize("code", [137, 143])
def test_a_program_that_was_stopped_for_its_data_needs_no_hint(code: int, what: str) -> None:
    assert hint(code, [], f"its {what}: hdfs:///a: no room") == ""


def test_a_command_that_is_not_there_is_told_once() -> None:
    reason = "command not found: python (PATH=/bin; python3 is there)"
    bad = container(0, ContainerState.FAILED, exit_code=127, reason=reason)
    for where in (NODES, THIS_MACHINE):
        ended = report(AppState.FAILED, f"worker:0 (c0 on node1): {reason}")
        told = text(epilogue(ended, snapshot(bad), where=where))
        assert told.count("command not found") == 1
        assert "hint: write python3, which is there; xlearning.container.env.PATH" in told
    alone = text(epilogue(report(AppState.FAILED, "1 of 2 workers"), snapshot(bad)))
    assert f"First to fail: worker:0 (c0 on node0): exit code 127: {reason}" in alone
    absent = replace(bad, reason="command not found: x (PATH=/bin)")
    here = text(epilogue(report(AppState.FAILED), snapshot(absent), where=THIS_MACHINE))
    assert (
        "on the PATH of this machine (xlearning.container.env.PATH sets it)" in here and "nodes" not in here
    )


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("./run.sh is not executable", "make it executable with chmod +x ./run.sh, or write bash ./run.sh"),
        ("./my fit.py is not executable", "chmod +x './my fit.py', or write python3 './my fit.py'"),
        ("/ is a folder", "a folder cannot be run: name a program in it"),
        (
            "./bad: the interpreter that its first line names is missing",
            "correct the first line of ./bad (#!), or write bash ./bad",
        ),
    ],
)
def test_a_program_that_is_there_and_cannot_be_started(reason: str, expected: str) -> None:
    assert expected in hint(126, [], reason)
    assert "PATH" not in hint(126, [], reason)


def test_changes_tell_each_thing_once() -> None:
    before = snapshot(container(0, ContainerState.RUNNING))
    assert changes(None, before) == ["RUNNING · worker: 1 running, 1 waiting"]
    assert changes(before, replace(before, version=9)) == []
    board = BoardView(True, "http://b", "eventLog")
    now = replace(before, page_url="http://p", board=board, progress=0.47)
    assert changes(before, now) == [
        "Page: http://p",
        "TensorBoard: http://b",
        "RUNNING · worker: 1 running, 1 waiting · 47%",
    ]
    assert changes(now, replace(now, progress=0.49)) == []
    other = replace(before, board=replace(board, program=VISUALDL))
    assert changes(before, other)[0] == "VisualDL: http://b"


def test_why_there_is_no_board_is_told_once_and_by_one_name() -> None:
    now = snapshot(
        container(0, ContainerState.RUNNING), board=BoardView(True, "", "eventLog", "TensorBoard has ended")
    )
    assert changes(None, now)[0] == "TensorBoard has ended"
    assert changes(now, replace(now, progress=0.5))[:-1] == []


def test_changes_name_failures_and_attempts() -> None:
    before = snapshot(container(0, ContainerState.RUNNING), container(1, ContainerState.RUNNING))
    failed = container(1, ContainerState.FAILED, exit_code=3)
    now = snapshot(container(0, ContainerState.RUNNING), failed, attempt=2)
    assert changes(before, now) == [
        "Attempt 2 of the application has started",
        "worker:1 (c1 on node1) FAILED: exit code 3",
        "RUNNING · worker: 1 running, 1 failed",
    ]
    lost = container(1, ContainerState.LOST, reason="node gone\nlong story")
    assert "worker:1 (c1 on node1) LOST: node gone" in changes(before, snapshot(before.containers[0], lost))


def test_summary_counts_the_newest_generation_and_the_chief_as_a_worker() -> None:
    now = snapshot(
        container(0, ContainerState.LOST),
        container(0, ContainerState.RUNNING, generation=2),
        container(7, ContainerState.LOST, index=None),
        container(1, ContainerState.RUNNING),
        roles=(RoleSpec("ps", 1, 1, 1), RoleSpec("chief", 1, 1, 1), RoleSpec("worker", 1, 1, 1)),
    )
    assert summary(now) == "RUNNING · ps: 1 waiting · worker: 2 running"
    early = snapshot(
        container(0, ContainerState.REGISTERED, index=None), container(1, ContainerState.GRANTED)
    )
    assert summary(early) == "RUNNING · worker: 2 starting"


def test_saves_are_told_as_they_begin_and_end() -> None:
    before = snapshot(saves=(save(1, SaveState.RUNNING),))
    assert "Save Model s1: 1 of 2 containers" in changes(None, before)
    assert changes(before, replace(before, version=2)) == []
    ended = save(1, SaveState.PARTIAL, files=1, size=2048, failures=("worker:1: disk full",))
    (line,) = changes(before, snapshot(saves=(ended,)))
    assert line.startswith("Save Model s1 PARTIAL: 1 of 2 containers, 1 file, 2")
    assert "in file:///out/r1" in line
    assert line.endswith("\n  worker:1: disk full")


def test_a_failed_job_names_what_it_has_saved() -> None:
    saves = (
        save(3, SaveState.PARTIAL),
        save(2, SaveState.FAILED, done=0),
        save(1, SaveState.SUCCEEDED, done=2),
    )
    lines = epilogue(report(AppState.FAILED, "worker:1 failed"), snapshot(saves=saves))
    assert "  Saved: file:///out/r3 (not all of it)" in lines
    assert "  Saved: file:///out/r1" in lines
    assert not [line for line in lines if "r2" in line]


def test_every_exit_code_of_ours_has_words() -> None:
    assert set(RESERVED) == set(EXIT_WORDS)
    for code in RESERVED:
        said, fix = reserved(f"Application driver failed with exit code {code}, see logs.", "/usr/bin/py")
        assert said
        assert fix
        assert "{" not in said + fix
    assert reserved("exitCode: 233 due to", "/usr/bin/py")[0] == "there is no /usr/bin/py on the node"
    assert reserved("the program ended with exit code 3") == ("", "")


def test_an_application_that_could_not_start_on_its_node() -> None:
    said = "Application driver failed with exit code 230, see logs for more information."
    lines = epilogue(ApplicationReport(APP, "n", "u", AppState.FAILED, said), None, python="/opt/py")
    assert lines[0] == f"{APP} FAILED: /opt/py on the node is too old for xlearning"
    assert said in lines[1]
    assert "hint: set xlearning.python to an interpreter of version 3.10 or newer" in lines[-1]
