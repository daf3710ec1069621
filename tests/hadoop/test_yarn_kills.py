"""Jobs on a real YARN that are ended from outside, by whom and whenever: nothing is left of them.

What YARN leaves no time for is done by the client that follows, else by the next submission.
"""

from __future__ import annotations

import re
import signal
import sys
import uuid
from collections.abc import Callable

import psutil
import pytest
from minihadoop import MiniHadoop
from places import Place
from side_by_side import side_by_side
from submitting import PROGRAMS, Running, wait_for, words_of
from yarn_gateway import YarnGateway, part, processes_of, settled

from xlearning.cluster.resource_manager import APPS, TAG

ACT = PROGRAMS / "act.py"
BIG = 256 << 20
SOME = (
    ("download", "INT"),
    ("run", "verb"),
    ("upload", "yarn"),
    ("upload", "abandoned"),
    ("upload", "am"),
    ("upload", "agent"),
)
ALL = tuple(
    (phase, means)
    for phase in ("download", "run", "upload")
    for means in ("INT", "TERM", "verb", "yarn", "abandoned", "am", "agent")
    if phase == "upload" or means not in ("am", "agent")
)
# what it is depends on how many ask at the same time
_NO_MASTER = re.compile(r"waiting for the ApplicationMaster.*: (no node has room|.* limit for ApplicationM)")
Gateways = Callable[[], YarnGateway]


def kill(running: Running, gateway: YarnGateway, app_id: str, means: str) -> None:
    """End it, or one of its processes; with ``abandoned`` the client dies first, so that nobody tidies up."""
    if means in ("am", "agent"):
        part(app_id, means).kill()
        ended = running.end()
        assert ended.code == 2, ended.err
        assert f"{app_id} FAILED" in ended.err
        assert "Traceback" not in ended.err
        return
    if means in ("INT", "TERM"):
        running.process.send_signal(signal.SIGINT if means == "INT" else signal.SIGTERM)
    elif means == "verb":
        asked = gateway.verb("kill", app_id, "--reason", "seen enough")
        assert asked.code == 0, asked.err
    else:
        if means == "abandoned":
            running.process.kill()
            running.end()
        gateway.kill_on_yarn(app_id)
    if means != "abandoned":
        ended = running.end()
        assert ended.code == 2, ended.err
        assert "KILLED" in ended.err
        assert "Traceback" not in ended.err
        if means != "yarn":
            why = "seen enough" if means == "verb" else f"SIG{means} to xl-submit"
            assert re.search(f"KILLED after .*: killed by .*: {why}", ended.err), ended.err


@pytest.mark.parametrize(
    "cases",
    [SOME, pytest.param(ALL, marks=[pytest.mark.large, pytest.mark.timeout(900)])],
    ids=["some", "all"],
)
def test_killed_while_it_works(cases: tuple[tuple[str, str], ...], place: Place, gateways: Gateways) -> None:
    """During a long download, the run, and a long upload; daemons of the program included."""
    place.write("big", bytes(BIG))
    program = {
        "run": 'exec "$@" ignore-term fork write:output/x=1 wait:never',
        "upload": "for n in 1 2 3 4 5 6 7 8; do truncate -s 512M output/$n; done",
        "download": "sleep 600",
    }
    awaited = {"run": "worker: 2 running", "upload": "uploading", "download": "preparing"}

    def scene(phase: str, means: str) -> None:
        gateway = gateways()
        output = f"{phase}-{means}"
        inputs = [f"--input={place.at('big')}#d{n}" for n in range(8)] if phase == "download" else []
        running = gateway.start(
            *("--worker-num", 2 if phase == "run" else 1, "--board-enable", "false", *inputs),
            *("--conf", "xlearning.download.file.thread.nums=1"),
            *("--conf", "xlearning.upload.output.thread.nums=1"),
            *("--output", f"{place.at(output)}#output"),
            *("--", "bash", "-c", program[phase], "bash", sys.executable, ACT),
        )
        app_id = gateway.submitted(running)
        running.said(awaited[phase])
        kill(running, gateway, app_id, means)
        if means == "abandoned":
            wait_for(lambda: not processes_of(app_id), message="processes are left")
            again = gateway.submit("--output", f"{place.at(output)}#output", "--", "touch", "output/y")
            assert again.code == 0, again.err
            assert {name.rpartition("/")[2] for name in place.tree(output)} == {"_SUCCESS", "y"}
            assert not place.exists(f"{output}/_temporary")
        else:
            assert not place.exists(output), place.tree(output)
        settled(gateway, app_id)

    side_by_side({f"{p}-{m}": lambda p=p, m=m: scene(p, m) for p, m in cases})  # type: ignore[misc]


def test_killed_while_it_waits(place: Place, gateways: Gateways) -> None:
    """One application waits for its last container, the others for their ApplicationMaster."""
    gateway = gateways()
    big = ("--worker-memory", "6000M", "--conf", "xlearning.am.memory=4000")
    output = ("--output", f"{place.at('out')}#output")
    # all three fit the queue, which is asked about before; but no node has room for a second one
    first = gateway.start("--worker-num", 3, "--worker-memory", "4608M", *output, "--", "sleep", "600")
    first_id = gateway.submitted(first)
    first.said("worker: 2 starting, 1 waiting")
    means = ("INT", "yarn", "verb", "abandoned")
    waiting = {each: gateway.start(*big, "--", "true") for each in means}
    ids = {each: gateway.submitted(running) for each, running in waiting.items()}
    assert {gateway.application(app_id)["state"] for app_id in ids.values()} == {"ACCEPTED"}
    first.said("YARN has still to give 1 x (4.5 GiB, 1 core) (queue default uses")
    for running in waiting.values():
        wait_for(lambda running=running: _NO_MASTER.search(running.err), message=running.err)  # type: ignore[misc]
    scenes = {
        each: lambda each=each: kill(waiting[each], gateway, ids[each], each)  # type: ignore[misc]
        for each in means
    }
    side_by_side({**scenes, "TERM": lambda: kill(first, gateway, first_id, "TERM")})
    refused = gateway.submit("--input", f"{place.at('none')}#x", "--", "true")  # sweeps, and goes no further
    assert refused.code == 1
    assert not place.exists("out")
    for app_id in (first_id, *ids.values()):
        assert gateway.application(app_id)["finalStatus"] == "KILLED"
        settled(gateway, app_id)


def test_interrupted_before_the_id_is_known(place: Place, gateways: Gateways) -> None:
    """YARN has taken the application, its answer does not come, the user gives up: nothing runs on."""
    gateway = gateways()
    name = f"unknown-{uuid.uuid4().hex}"
    running = gateway.start("--app-name", name, "--", "sleep", "600")

    def taken() -> list[str]:
        found = (gateway.ask(f"{APPS}?applicationTags={TAG}").get("apps") or {}).get("app") or []
        return [app["id"] for app in found if app["name"] == name]

    found = wait_for(taken, message="never submitted")
    (app_id,) = found if isinstance(found, list) else []
    drivers = [p for p in psutil.Process(running.process.pid).children() if "Driver" in " ".join(words_of(p))]
    for driver in drivers:
        driver.suspend()
    running.process.send_signal(signal.SIGINT)
    ended = running.end()
    assert (ended.code, ended.out) in ((130, ""), (2, f"{app_id}\n")), ended.err
    assert gateway.application(app_id)["finalStatus"] == "KILLED"
    assert gateway.submit("--input", f"{place.at('none')}#x", "--", "true").code == 1  # sweeps
    settled(gateway, app_id)


@pytest.mark.parametrize("means", ["yarn", pytest.param("verb", marks=pytest.mark.large)])
def test_killed_while_it_commits(means: str, hadoop: MiniHadoop, place: Place, gateways: Gateways) -> None:
    """HDFS stands still as the commit begins, and somebody kills the job: its output is whole or absent."""
    gateway = gateways()
    running = gateway.start("--output", f"{place.at('out')}#output", "--", "touch", "output/x")
    app_id = gateway.submitted(running)

    def committing() -> bool:
        if running.process.poll() is not None:
            return True  # this machine was too slow to see it
        logs = hadoop.layout.data.glob(f"nodemanager*/logs/{app_id}/*/application.driver.log")
        return any("'phase': 'COMMITTING'" in log.read_text(errors="replace") for log in logs)

    wait_for(committing, message="it never committed")
    hadoop.pause("namenode")
    try:
        if means == "verb":
            asked = gateway.verb("kill", app_id)
            assert asked.code in (0, 2), asked.err
            assert "Traceback" not in asked.err
        else:
            gateway.kill_on_yarn(app_id)
            wait_for(lambda: not processes_of(app_id), message="processes are left")
    finally:
        hadoop.resume("namenode")
    ended = running.end()
    report = gateway.application(app_id)
    assert ended.code == (0 if report["finalStatus"] == "SUCCEEDED" else 2), ended.err
    if means == "verb":  # the clients gave HDFS up; the next submission puts all in order
        assert gateway.submit("--input", f"{place.at('none')}#x", "--", "true").code == 1
    names = {name.rpartition("/")[2] for name in place.tree("out")}
    assert names in (set(), {"x", "_SUCCESS"})
    assert not place.exists("out/_temporary")
    settled(gateway, app_id)
