"""Following jobs of this machine: on a terminal, with signals, with logs, and leaving them."""

from __future__ import annotations

import getpass
import json
import re
import signal
from pathlib import Path

import pytest
from json_answers import conforming
from submitting import Gateway, wait_for
from terminal import CTRL_C, terminal

from xlearning.job import AppState

FOR_EVER = ("--", "bash", "-c", "touch $XL_UP; sleep 600")


@pytest.fixture
def up(gateway: Gateway, tmp_path: Path) -> Path:
    """A file that the programs of `FOR_EVER` make."""
    gateway.properties["xlearning.container.env.XL_UP"] = str(tmp_path / "up")
    return tmp_path / "up"


def status(gateway: Gateway) -> str:
    """The state of the last job."""
    ended = gateway.verb("status", "last", "--local", "--output", "json")
    assert ended.code == 0, ended.err
    return str(json.loads(ended.out)["state"])


def killed(gateway: Gateway) -> None:
    assert gateway.verb("kill", "last", "--local").code == 0
    gateway.nothing_is_left()


@pytest.mark.parametrize(("key", "code"), [("k", 2), (CTRL_C, 130)], ids=["kill", "twice"])
def test_ctrl_c_on_a_terminal(key: str, code: int, gateway: Gateway, up: Path) -> None:
    with terminal(gateway, *FOR_EVER) as shown:
        wait_for(up.exists)
        shown.shows("worker  1 running")
        shown.press(CTRL_C)
        shown.shows("any other key follows on? ")
        shown.press("x")
        shown.shows("Following on; Ctrl-C asks again")
        shown.press(CTRL_C)
        wait_for(lambda: shown.text.count("follows on? ") == 2)
        shown.press(key)
        ended, out = shown.end()
    assert ended == code, shown.text
    assert re.fullmatch(r"application_\d+_\d+\n", out)
    assert ("left alone" in shown.text) == (code == 130)
    if code == 130:
        after = shown.text.rpartition("follows on? ")[2]
        assert after.startswith("\r\n"), "what is said next begins a line"
        assert status(gateway) == "RUNNING"
        killed(gateway)
    gateway.nothing_is_left()


def test_the_panel_is_redrawn_in_place_and_goes(gateway: Gateway) -> None:
    seen = gateway.work / "seen"
    words = (
        "printf '\\033[2J[red]odd[/red]\\n'; echo 'reporter progress:0.5' >&2; "
        f"until [ -e {seen} ]; do sleep 0.05; done"
    )
    with terminal(gateway, "--no-color", "--logs=worker:0", "--", "bash", "-c", words, columns=60) as shown:
        shown.shows("[##########..........] 50%", 60)
        shown.shows("worker:0 | [red]odd[/red]", 60)
        seen.touch()
        code, _ = shown.end()
    assert code == 0, shown.text
    text = shown.text
    assert "worker:0 | [red]odd[/red]" in text, text
    assert "\x1b[2J" not in text
    assert not re.search(r"\x1b\[[\d;]*3[0-7]m", text), "colours"
    assert "[##########..........] 50%" in text
    assert "\x1b[1A\x1b[2K" in text, "nothing was redrawn"
    assert "SUCCEEDED after" in text.rpartition("\x1b[2K")[2], "the panel is left behind"
    assert text.count("Submitted") == 1


def test_a_closed_terminal_leaves_the_job_and_with_kill_on_exit_ends_it(gateway: Gateway, up: Path) -> None:
    with terminal(gateway, *FOR_EVER) as shown:
        wait_for(up.exists)
        shown.hang_up()
        assert shown.end()[0] == 128 + signal.SIGHUP
    assert status(gateway) == "RUNNING"
    killed(gateway)
    up.unlink()
    with terminal(gateway, "--kill-on-exit", *FOR_EVER) as shown:
        wait_for(up.exists)
        shown.hang_up()
        assert shown.end()[0] == 2
    assert status(gateway) == "KILLED"
    gateway.nothing_is_left()


def test_heartbeats_and_term_without_a_terminal(gateway: Gateway, up: Path) -> None:
    gateway.properties["xlearning.client.heartbeat.interval"] = "300ms"
    running = gateway.start(*FOR_EVER)
    wait_for(up.exists)
    wait_for(lambda: running.err.count("INFO  RUNNING · worker: 1 running\n") >= 3)
    running.process.send_signal(signal.SIGTERM)
    ended = running.end()
    assert ended.code == 2, ended.err
    assert f"killed by {getpass.getuser()}: SIGTERM to xl-submit" in ended.err
    gateway.nothing_is_left()


def test_a_job_that_nobody_follows_tidies_up(gateway: Gateway, up: Path) -> None:
    output = gateway.root / "out"
    words = "touch $XL_UP; while [ -e $XL_UP ]; do sleep 0.05; done; echo x > m/x; echo bye"
    ended = gateway.submit("--detach", "--output", f"{output}#m", "--", "bash", "-c", words)
    assert ended.code == 0, ended.err
    assert f"xl-submit top {ended.app_id} --local" in ended.err and "SUCCEEDED" not in ended.err
    wait_for(up.exists)
    assert status(gateway) == AppState.RUNNING.value
    it_is_left_again(gateway, ended.app_id)
    followed = gateway.start_verb("top", "--logs")
    followed.said("RUNNING · worker: 1 running")
    up.unlink()
    top = followed.end()
    assert (top.code, top.out) == (0, f"{ended.app_id}\n"), top.err
    assert f"{ended.app_id} SUCCEEDED after" in top.err and "worker:0 | bye\n" in top.err
    gateway.nothing_is_left()
    assert (output / "m" / "x").exists() and (output / "_SUCCESS").exists()
    past = conforming("history", json.loads(gateway.verb("history", "--output", "json").out))
    (listed,) = past["jobs"]
    assert (listed["app_id"], listed["published"], listed["recorded"]) == (
        *(ended.app_id, [output.as_uri()], True),
    )
    record = json.loads((gateway.history / ended.app_id / "job.json").read_text())
    assert record["state"] == "SUCCEEDED"
    assert status(gateway) == "SUCCEEDED"


def it_is_left_again(gateway: Gateway, app_id: str) -> None:
    """Whoever follows it with ``top`` leaves it as it is."""
    leaving = gateway.start_verb("top", app_id, "--local", "--output", "json")
    leaving.said("RUNNING · worker: 1 running")
    leaving.process.send_signal(signal.SIGINT)
    left = leaving.end()
    assert left.code == 130, left.err
    assert f"xl-submit top {app_id} --local\n  Kill:   xl-submit kill {app_id} --local" in left.err
    told = conforming("submit", json.loads(left.out))
    assert (told["app_id"], told["state"]) == (app_id, "RUNNING")
    refused = gateway.verb("top", app_id, "--logs=worker:1")
    assert (refused.code, refused.out) == (1, "")
    assert "--logs=worker:1: the job has no such container" in refused.err


def test_the_end_as_json_and_all_output(gateway: Gateway, up: Path) -> None:
    words = (
        "echo out $INDEX; printf 'err %s' $INDEX >&2; if [ $INDEX = 0 ]; then touch $XL_UP; exit; fi; "
        "while [ ! -e $XL_UP ]; do sleep 0.05; done; exit 3"
    )
    ended = gateway.submit(
        *("--worker-num", 2, "--format", "json", "--quiet", "--logs"),
        *("--conf", "xlearning.container.maxFailures.rate=0.1", "--", "bash", "-c", words),
    )
    assert ended.code == 2, ended.err
    told = conforming("submit", json.loads(ended.out))
    assert (told["state"], told["exit_code"]) == ("FAILED", 3)
    assert up.exists()
    assert told["failed"] in [one["id"] for one in told["containers"] if one["index"] == 1]
    lines = ended.err.splitlines()
    for line in ("worker:0 | out 0", "worker:0 | err 0", "worker:1 | out 1", "worker:1 | err 1"):
        assert lines.count(line) == 1, ended.err
    assert "Submitted" not in ended.err and "First to fail: worker:1" in ended.err
    again = gateway.verb("top", "last", "--local", "--format", "json", "--quiet")
    assert (again.code, json.loads(again.out)) == (2, told)
    history = gateway.verb("history", "--local", "--state", "failed,killed")
    assert re.search(rf"{told['app_id']} .* this machine  FAILED  .*: exit code 3\n", history.out)
    assert again.err == ended.err[ended.err.index(told["app_id"]) :]
