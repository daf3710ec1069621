"""Jobs that go wrong: what the user is told, what is left, and that the exit code is right."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from places import Place
from submitting import PROGRAMS, Ended, Gateway, Running, wait_for, words_of

ACT = PROGRAMS / "act.py"


def act(*words: str) -> tuple[str, ...]:
    return ("--", sys.executable, str(ACT), *words)


def failed_clean(ended: Ended, gateway: Gateway, place: Place | None = None) -> None:
    assert ended.code == 2, ended.err
    gateway.nothing_is_left()
    if place is not None:
        assert not place.exists("out")


def agents(gateway: Gateway) -> list[psutil.Process]:
    return [p for p in gateway.processes() if words_of(p)[-1:] == ["agent"]]


def am(gateway: Gateway) -> psutil.Process:
    (found,) = [p for p in gateway.processes() if words_of(p)[-1:] == ["am"]]
    return found


def programs(gateway: Gateway) -> list[psutil.Process]:
    found = [(p, words_of(p)) for p in gateway.processes()]
    return [p for p, words in found if str(ACT) in words and "xl-submit" not in words[1]]


def start_and_wait(gateway: Gateway, *args: object, ready: int = 1) -> Running:
    """Submit, and wait until ``ready`` programs have made their file ``up-<index>``."""
    running = gateway.start(*args)
    wait_for(
        lambda: len(list(gateway.root.glob("up-*"))) >= ready or running.process.poll() is not None,
        60,
        "the programs did not start",
    )
    assert running.process.poll() is None, running.err
    return running


def test_a_worker_that_exits_3(place: Place, gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 2),
        *("--output", f"{place.at('out')}#output"),
        "--",
        *(
            "bash",
            "-c",
            "if [ $TF_ROLE$TF_INDEX = worker1 ]; then echo last words >&2; exit 3; fi; sleep 300",
        ),
    )
    failed_clean(ended, gateway, place)
    assert "worker:1" in ended.err
    assert "container_" in ended.err
    assert "3" in ended.err
    assert "last words" in ended.err


def test_a_command_that_does_not_exist(gateway: Gateway) -> None:
    ended = gateway.submit("--", "no-such-program-at-all")
    failed_clean(ended, gateway)
    assert "no-such-program-at-all" in ended.err
    assert "not found" in ended.err


def test_an_agent_whose_package_is_broken_is_replaced_then_reported(gateway: Gateway, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif sys.orig_argv[-1:] == ['agent']:\n    sys.modules['psutil'] = None\n"
    )
    gateway.environment["PYTHONPATH"] = str(tmp_path)
    ended = gateway.submit("--", "true")
    failed_clean(ended, gateway)
    assert "psutil" in ended.err
    assert "a Python package that xlearning needs is missing or broken" in ended.err
    assert "3 tried" in ended.err


def test_more_memory_than_granted(gateway: Gateway) -> None:
    ended = gateway.submit("--worker-memory", "128M", *act("allocate:400", "wait:never"))
    failed_clean(ended, gateway)
    assert "128 MB" in ended.err.replace("128.0", "128")
    assert "memory" in ended.err


@pytest.mark.parametrize("victim", ["agent", "guardian", "program"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["TERM", "KILL"])
def test_nothing_survives_whoever_is_killed(victim: str, number: int, gateway: Gateway) -> None:
    running = start_and_wait(
        gateway, *act("ignore-term", "fork", f"touch:{gateway.root}/up-INDEX", "wait:never")
    )
    (program,) = programs(gateway)
    guardian = program.parent()
    assert guardian is not None
    agent = guardian.parent()
    assert agent is not None
    {"agent": agent, "guardian": guardian, "program": program}[victim].send_signal(number)
    if (victim, number) == ("program", signal.SIGTERM):
        running.process.send_signal(signal.SIGTERM)  # it ignores TERM, so the job is ended from outside
    failed_clean(running.end(), gateway)


def test_a_kill_ends_everything_within_its_time(place: Place, gateway: Gateway) -> None:
    running = start_and_wait(
        gateway,
        *("--worker-num", 2, "--output", f"{place.at('out')}#output"),
        *act("ignore-term", "fork", "write:output/x=1", f"touch:{gateway.root}/up-INDEX", "wait:never"),
        ready=2,
    )
    running.process.send_signal(signal.SIGINT)
    ended = running.end()
    failed_clean(ended, gateway, place)
    assert "KILLED" in ended.err


def test_an_agent_that_stalls_is_given_up(place: Place, gateway: Gateway) -> None:
    gateway.properties["xlearning.agent.timeout"] = "5s"
    running = start_and_wait(
        gateway,
        *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 1),
        *("--output", f"{place.at('out')}#output"),
        *act("write:output/x=1", f"touch:{gateway.root}/up-INDEX", "wait:never"),
    )
    stalled = agents(gateway)[0]
    stalled.send_signal(signal.SIGSTOP)
    ended = running.end()
    failed_clean(ended, gateway, place)
    assert "silent for 5 s" in ended.err


@pytest.mark.parametrize(
    ("timeout", "stall"), [("5s", 8), pytest.param("10s", 30, marks=pytest.mark.large)], ids=["8s", "30s"]
)
def test_an_am_that_stalls_does_not_kill_its_workers(
    timeout: str, stall: float, place: Place, gateway: Gateway
) -> None:
    gateway.properties["xlearning.agent.timeout"] = timeout
    running = start_and_wait(
        gateway,
        *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 2),
        *("--output", f"{place.at('out')}#output"),
        *act("write:output/x=1", f"touch:{gateway.root}/up-INDEX", f"wait:{gateway.root}/go"),
        ready=2,
    )
    master = am(gateway)
    master.send_signal(signal.SIGSTOP)
    # The time itself is what the agents must bear, so there is no event to wait for.
    with pytest.raises(AssertionError, match="in vain"):
        wait_for(lambda: not programs(gateway), stall)
    master.send_signal(signal.SIGCONT)
    (gateway.root / "go").touch()
    ended = running.end()
    assert ended.code == 0, ended.err
    assert place.exists("out/_SUCCESS")


def test_an_am_that_is_killed_gets_a_second_attempt(place: Place, gateway: Gateway) -> None:
    running = start_and_wait(
        gateway,
        *("--conf", "xlearning.app.max.attempts=2", "--output", f"{place.at('out')}#output"),
        *act("write:output/x=1", f"touch:{gateway.root}/up-INDEX", f"wait:{gateway.root}/go"),
    )
    first = am(gateway)
    first.kill()
    wait_for(lambda: not first.is_running() or first.status() == psutil.STATUS_ZOMBIE)
    (gateway.root / "go").touch()
    ended = running.end()
    assert ended.code == 0, ended.err
    assert place.tree("out").keys() == {"output/x", "_SUCCESS"}
    gateway.nothing_is_left()


def test_an_am_that_is_killed_without_another_attempt_fails_the_job(place: Place, gateway: Gateway) -> None:
    running = start_and_wait(
        gateway,
        *("--output", f"{place.at('out')}#output"),
        *act("ignore-term", "fork", f"touch:{gateway.root}/up-INDEX", "wait:never"),
    )
    am(gateway).kill()
    failed_clean(running.end(), gateway, place)


def test_the_second_attempt_gets_more_memory(gateway: Gateway) -> None:
    """Attempt 1 may use 150 MB and is ended, attempt 2 may use 300 MB."""
    ended = gateway.submit(
        *("--conf", "xlearning.app.max.attempts=2", "--worker-memory", "150M"),
        *("--conf", "xlearning.worker.mem.autoscale=1.0"),
        *act("allocate:200", "attempt:2"),
    )
    assert ended.code == 0, ended.err
    snapshot, lines = history(gateway, ended)
    assert snapshot["attempt"] == 2
    assert snapshot["containers"][0]["memory_limit_bytes"] == 300 << 20
    reasons = [line["data"]["reason"] for line in lines if line["kind"] == "outcome"]
    assert any("150 MB" in reason for reason in reasons), "the history keeps what ended attempt 1"


def history(gateway: Gateway, ended: Ended) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Snapshot and records of an application."""
    folder = gateway.history / ended.app_id
    texts = [path.read_text() for path in sorted(folder.glob("*.jsonl"))]
    records = [json.loads(line) for text in texts for line in text.splitlines()]
    return json.loads((folder / "job.json").read_text()), records


def test_the_history_tells_the_whole_story(gateway: Gateway) -> None:
    ended = gateway.submit("--", "bash", "-c", "exit 7")
    snapshot, lines = history(gateway, ended)
    assert snapshot["state"] == "FAILED"
    assert snapshot["containers"][0]["exit_code"] == 7
    kinds = {line["kind"] for line in lines}
    assert {"phase", "container", "outcome"} <= kinds


def test_hdfs_down_at_submit_is_one_sentence(gateway: Gateway) -> None:
    ended = gateway.submit("--input", "hdfs://127.0.0.1:9/none#data", "--", "true", seconds=60)
    assert ended.code == 1
    assert ended.out == ""
    assert "127.0.0.1:9" in ended.err
    assert "Traceback" not in ended.err
    assert not list(gateway.root.glob("local/apps/*/am"))
    assert os.environ.get("HADOOP_CONF_DIR") is None or ended.err


def test_an_output_is_of_one_job_from_the_start(place: Place, gateway: Gateway) -> None:
    output = ("--worker-num", 2, "--output", f"{place.at('out')}#output")
    first = start_and_wait(
        gateway, *output, *act(f"touch:{gateway.root}/up-INDEX", f"wait:{gateway.root}/go"), ready=2
    )
    second = gateway.submit(*output, "--", "true")
    assert second.code == 1
    assert "is being written by application_" in second.err
    (gateway.root / "go").touch()
    assert first.end().code == 0
    assert place.exists("out/_SUCCESS")
    gateway.nothing_is_left()


def test_jobs_submitted_at_once_do_not_mix_in_one_output(place: Place, gateway: Gateway) -> None:
    words = ("--worker-num", 2, "--output", f"{place.at('out')}#output", "--")
    running = [gateway.start(*words, "bash", "-c", "echo 1 > output/x") for _ in range(2)]
    ends = [one.end() for one in running]
    good = [ended for ended in ends if ended.code == 0]
    assert len(good) <= 1, [ended.err for ended in ends]
    for ended in ends:
        if ended not in good:
            assert "begun to write" in ended.err or "being written" in ended.err or "exists" in ended.err
    published = [name for name in place.tree("out") if name != "_SUCCESS"]
    assert len(published) == 2 * len(good)
    gateway.nothing_is_left()


def test_an_output_that_cannot_be_made_is_told_before_the_work(tmp_path: Path, gateway: Gateway) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "nowhere" / "at-all")
    ended = gateway.submit("--output", f"{tmp_path}/out#m", "--", "touch", str(tmp_path / "worked"))
    failed_clean(ended, gateway)
    why = f"file://{tmp_path}/out cannot be made, or not be written to: "
    assert f"the output cannot be used: {why}" in ended.err and "Errno" not in ended.err
    assert "hint: choose another folder" in ended.err
    assert not (tmp_path / "worked").exists()


def test_a_guardian_that_is_stopped_runs_on(place: Place, gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--output", f"{place.at('out')}#output"),
        *("--", "bash", "-c", "kill -STOP $PPID; echo 1 > output/x"),
    )
    assert ended.code == 0, ended.err
    assert place.read("out/output/x") == b"1\n"
    gateway.nothing_is_left()


def test_failed_upload_publishes_what_there_is_without_a_mark(place: Place, gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--conf", "xlearning.failed.upload=true", "--output", f"{place.at('out')}#output"),
        *act("write:output/x=1", "exit:3"),
    )
    assert ended.code == 2, ended.err
    gateway.nothing_is_left()
    assert place.tree("out").keys() == {"output/x"}
    again = gateway.submit(
        *("--output-existing", "overwrite", "--output", f"{place.at('out')}#output"),
        *act("write:output/y=1"),
    )
    assert again.code == 0, again.err
    assert place.tree("out").keys() == {"output/y", "_SUCCESS"}
