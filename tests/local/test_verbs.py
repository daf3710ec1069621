"""The verbs on jobs of this machine: status, list, logs and kill, while they run and afterwards."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from json_answers import conforming
from submitting import Gateway, Running, wait_for, words_of

WORK = (
    "echo out $INDEX; echo err $INDEX >&2; mkdir -p output; echo model > output/m; "
    "echo 'reporter progress:0.25' >&2; until test -e go; do sleep 0.05; done; "
    "echo end $INDEX; exit $(cat go)"
)
JOB = ("--app-name", "verbs", "--worker-num", 2)


@pytest.fixture
def job(gateway: Gateway) -> Iterator[Running]:
    """A job whose two workers have written their first lines."""
    running = gateway.start(
        *(*JOB, "--output", f"{gateway.root}/out#output", "--", "bash", "-c", WORK),
    )
    running.said("25%", 60)
    yield running


def app_id_of(gateway: Gateway) -> str:
    (folder,) = (gateway.root / "local" / "apps").iterdir()
    return folder.name


def let_second_go(gateway: Gateway, code: int) -> None:
    (work,) = (gateway.root / "local" / "apps").glob("*/containers/*_000003/work")
    (work / "go.new").write_text(str(code))
    (work / "go.new").rename(work / "go")


def test_a_job_from_life_to_end(job: Running, gateway: Gateway) -> None:
    app_id = app_id_of(gateway)
    alive(gateway, app_id)
    followed = gateway.start_verb("logs", "--local", app_id, "--role", "worker", "--index", 1, "--follow")
    assert followed.process.stdout is not None
    assert followed.process.stdout.readline() == "==> worker:1 " + container(app_id, 3) + " stdout <==\n"
    let_second_go(gateway, 3)
    assert job.end().code == 2
    end = followed.end()
    assert (end.code, "end 1\n" in end.out, "has ended: FAILED" in end.err) == (0, True, True)
    ended(gateway, app_id)
    gateway.nothing_is_left()


def container(app_id: str, number: int) -> str:
    return f"{app_id.replace('application', 'container')}_01_{number:06d}"


def alive(gateway: Gateway, app_id: str) -> None:
    told = gateway.verb("status", "--local", "last")
    assert (told.code, told.err) == (0, "")
    assert re.match(rf"{app_id} RUNNING for [\d.]+s\n", told.out)
    for part in ("  Name        verbs\n", "On          this machine", "Page        http://127.0.0.1:", "25%"):
        assert part in told.out
    assert re.search(rf"worker:1  RUNNING  -     127.0.0.1  .*{container(app_id, 3)}", told.out)
    data = conforming("status", json.loads(gateway.verb("status", app_id, "--output", "json").out))
    assert (data["app_id"], data["state"], data["backend"], data["app_name"]) == (
        *(app_id, "RUNNING", "local", "verbs"),
    )
    assert (data["source"], data["app_type"], data["notes"]) == ("am", "XLEARNING", [])
    assert [one["state"] for one in data["details"]["containers"]] == ["RUNNING", "RUNNING"]
    told = gateway.verb("list", "--local", "--state", "running", "--output", "json")
    (listed,) = conforming("list", json.loads(told.out))["jobs"]
    assert (listed["app_id"], listed["state"], listed["finished"]) == (app_id, "RUNNING", None)
    it_is_opened(gateway, data["details"]["page_url"])
    logs = gateway.verb("logs", app_id, "--file", "stdout", "--tail", 1)
    heads = [f"==> worker:{n} {container(app_id, n + 2)} stdout <==\nout {n}\n" for n in (0, 1)]
    assert (logs.code, logs.out) == (0, "\n".join(heads))
    assert " am.err <==" in gateway.verb("logs", app_id, "--role", "am").out
    refused = gateway.verb("logs", app_id, "--container", 2, "--file", "nope")
    assert (refused.code, refused.out) == (2, "")
    assert "has no nope; it has agent." in refused.err


def it_is_opened(gateway: Gateway, page: str) -> None:
    shown, browser = gateway.work / "shown", gateway.work / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {shown}\n')
    browser.chmod(0o755)
    gateway.environment["BROWSER"] = f"{browser} %s"
    told = conforming("open", json.loads(gateway.verb("open", "-", "--local", "--output", "json").out))
    assert (told["url"], told["what"], told["opened"]) == (page, "page", True)
    assert shown.read_text().strip() == page
    gateway.environment["BROWSER"] = ""
    gateway.environment["DISPLAY"] = ""
    silent = gateway.verb("open", "last", "--local")
    assert (silent.code, silent.out.strip()) == (0, page)
    assert "no display here" in silent.err


def ended(gateway: Gateway, app_id: str) -> None:
    told = gateway.verb("status", "--local", app_id[-8:])
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith(f"{app_id} FAILED after ")
    assert "worker:1  FAILED" in told.out and "exit code 3" in told.out
    assert "Page" not in told.out
    data = conforming("describe", json.loads(gateway.verb("describe", app_id, "--output", "json").out))
    assert (data["source"], data["notes"], data["command"][-1]) == ("history", [], WORK)
    assert data["properties"]["xlearning.worker.num"] == "2"
    page = gateway.verb("open", app_id, "--print")
    assert (page.code, page.out) == (1, "") and "has ended (FAILED), and its page with it" in page.err
    blind = ("--local", app_id, "--conf", "xlearning.history.log.dir=/nowhere")
    known = gateway.verb("status", *blind)
    assert "there is no history in file:///nowhere" in known.out and container(app_id, 3) in known.out
    assert "out 0\n" in gateway.verb("logs", *blind, "--file", "stdout").out
    listed = gateway.verb("list", "--local")
    assert re.search(rf"{app_id}  verbs  XLEARNING  this machine  FAILED  \d{{4}}-", listed.out)
    one = gateway.verb("logs", app_id, "--container", container(app_id, 3), "--file", "stdout")
    assert (one.code, one.out) == (0, "out 1\nend 1\n")
    killed = gateway.verb("kill", app_id)
    assert (killed.code, killed.out) == (0, f"{app_id} FAILED\n")
    assert "nothing to kill" in killed.err


def test_kill_in_good_order(job: Running, gateway: Gateway) -> None:
    killed = gateway.verb("kill", "--local", "last", "--reason", "wrong\ninput")
    app_id = app_id_of(gateway)
    assert (killed.code, killed.out) == (0, f"{app_id} KILLED\n")
    assert "wrong" in killed.err
    end = job.end()
    assert end.code == 2
    assert re.search(rf"{app_id} KILLED after .*: killed by \S+: wrong", end.err)
    assert not (gateway.root / "out").exists() or not list((gateway.root / "out").iterdir())
    gateway.nothing_is_left()
    stands = gateway.verb("status", "--local", app_id)
    assert f"{app_id} KILLED" in stands.out and "wrong" in stands.out


def test_kill_without_waiting(job: Running, gateway: Gateway) -> None:
    killed = gateway.verb("kill", "--local", "last", "--no-wait")
    assert (killed.code, killed.out) == (0, "")
    assert "is being stopped" in killed.err
    assert job.end().code == 2
    gateway.nothing_is_left()


def test_kill_by_force_tidies_up(job: Running, gateway: Gateway) -> None:
    """The client is dead and the ApplicationMaster hangs: nobody else is there to put things in order."""
    job.process.kill()
    job.end()
    recorded = gateway.history / app_id_of(gateway) / "job.json"
    wait_for(lambda: recorded.exists() and '"progress": 0.25' in recorded.read_text())
    (master,) = [p for p in gateway.processes() if words_of(p)[-1:] == ["am"]]
    master.send_signal(signal.SIGSTOP)
    (address,) = gateway.staging.glob("*/am-1.json")
    address.unlink()  # saves the time until the connection is given up
    stands = gateway.verb("status", "--local", "last")
    assert stands.code == 0
    assert "cannot be reached yet" in stands.out
    killed = gateway.verb("kill", "--local", "last")
    assert (killed.code, killed.out) == (0, f"{app_id_of(gateway)} KILLED\n"), killed.err
    assert "by force" in killed.err
    assert not psutil.pid_exists(master.pid)
    stands = gateway.verb("status", "--local", "last")
    assert len(re.findall(r"worker:\d  STOPPED", stands.out)) == 2, stands.out
    assert "killed with the job; last seen RUNNING" in stands.out
    assert not (gateway.root / "out" / "_temporary").exists()
    gateway.nothing_is_left()


def test_a_command_that_is_called_like_a_verb(tmp_path: Path, gateway: Gateway) -> None:
    for name in ("list", "status"):
        script = tmp_path / "bin" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text('#!/bin/sh\necho "$0 $@" > output/said\n')
        script.chmod(0o755)
    gateway.environment["PATH"] = f"{script.parent}:{gateway.environment['PATH']}"
    done = gateway.submit("--output", f"{tmp_path}/out#output", "--", "list", "last")
    assert done.code == 0, done.err
    assert (tmp_path / "out" / "output" / "said").read_text().endswith("/list last\n")


def test_a_reader_that_leaves(gateway: Gateway) -> None:
    done = gateway.submit("--", "bash", "-c", "seq 1 200000")
    assert done.code == 0
    running = gateway.start_verb("logs", "--local", "last", "--file", "stdout")
    assert running.process.stdout is not None
    assert running.process.stdout.readline() == "1\n"
    running.process.stdout.close()
    wait_for(lambda: running.process.poll() is not None)
    running.close()
    assert (running.process.returncode, running.err) == (141, "")
