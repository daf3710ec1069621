"""Attempts on a real YARN: what ends a job for good, what is tried again, and what a second attempt finds."""

from __future__ import annotations

import getpass
import json
import os
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from minihadoop import MiniHadoop
from places import Place
from submitting import wait_for
from webhdfs import WebHdfs
from yarn_gateway import YarnGateway, processes_of

from xlearning.fs import FileSystems
from xlearning.fs.base import exists
from xlearning.fs.commit import TEMPORARY, Intent, Move
from xlearning.job import to_dict

TWICE = ("--conf", "xlearning.app.max.attempts=2", "--board-enable", "false")


@pytest.fixture(scope="module")
def shared(hadoop: MiniHadoop) -> Iterator[str]:
    """HDFS folder of staging and history; with our package, which is uploaded only once."""
    path = f"/test-yarn-attempts-{uuid.uuid4().hex}"
    yield hadoop.hdfs_uri + path
    WebHdfs(hadoop.namenode_web).delete(path)


@pytest.fixture
def gateway(hadoop: MiniHadoop, shared: str, tmp_path: Path) -> Iterator[YarnGateway]:
    gateway = YarnGateway(tmp_path / "gateway", hadoop, shared, dict(os.environ))
    yield gateway
    gateway.close()


@pytest.fixture
def place(hdfs_dir: str) -> Place:
    return Place(hdfs_dir, FileSystems("file://"))


def part(app_id: str, name: str) -> psutil.Process:
    """Our process of an application that is called ``name``: am or agent."""
    (found,) = [
        p for p in processes_of(app_id) if p.cmdline()[-1:] == [name] and "bootstrap.py" in p.cmdline()[-2]
    ]
    return found


def program(body: str) -> tuple[str, ...]:
    return ("--", "bash", "-c", body)


def test_a_second_attempt_gets_more_memory_and_commits(place: Place, gateway: YarnGateway) -> None:
    """The ApplicationMaster dies under a running job; nothing of the first attempt is left."""
    go, started = gateway.root / "go", gateway.root / "started"
    body = (
        f"echo x >> {started}; mkdir -p model && echo $CONTAINER_ID > model/who; "
        "case $CONTAINER_ID in *_01_0*) sleep 600;; esac; "
        f"until test -e {go}; do sleep 0.1; done"
    )
    running = gateway.start(*TWICE, "--output", f"{place.at('out')}#model", *program(body))
    running.said("worker: 1 running", 180)
    app_id = gateway.submitted(running)
    first = {p.pid for p in processes_of(app_id)}
    part(app_id, "am").kill()
    grown = 512 + 256 + 768  # the ApplicationMaster with skein, a worker with half as much again
    wait_for(lambda: gateway.application(app_id)["allocatedMB"] == grown, 60, "memory has not grown")
    wait_for(lambda: read(started) == 2, 60, "it does not run again")
    assert gateway.application(app_id)["runningContainers"] == 2
    assert not first & {p.pid for p in processes_of(app_id)}
    go.touch()
    ended = running.end()
    assert ended.code == 0, ended.err
    assert place.read("out/model/who").decode().split("_")[3] == "02"
    assert sorted(place.tree("out")) == ["_SUCCESS", "model", "model/who"]
    assert gateway.application(app_id)["finalStatus"] == "SUCCEEDED"
    gateway.nothing_is_left_of(app_id)


def read(path: Path) -> int:
    """Lines of a file that programs append to."""
    return len(path.read_text().splitlines())


def begin_commit(place: Place, gateway: YarnGateway, app_id: str) -> None:
    """What an ApplicationMaster has done that dies between its intent and the first rename."""
    staging, remote = f"{gateway.shared}/staging/{app_id}", place.at("out")
    source = f"{remote}/{TEMPORARY}/{app_id}_000001/worker/model"
    place.write(source.removeprefix(place.uri).strip("/") + "/weights", b"whole")
    intent = Intent(app_id, 1, (Move(source, f"{remote}/model"),), (remote,))
    text = json.dumps(to_dict(intent)).encode()
    Place(gateway.shared, gateway.storage).write(f"staging/{app_id}/commit-1/intent.json", text)
    assert exists(gateway.storage.of(staging), f"{staging}/commit-1/intent.json")


def test_skeins_jvm_dies_during_the_commit(place: Place, gateway: YarnGateway) -> None:
    tries = gateway.root / "tries"
    body = f"echo $CONTAINER_ID >> {tries}; sleep 600"
    running = gateway.start(*TWICE, "--output", f"{place.at('out')}#model", *program(body))
    running.said("worker: 1 running", 180)
    app_id = gateway.submitted(running)
    begin_commit(place, gateway, app_id)
    am = part(app_id, "am")
    jvm = am.parent()
    assert jvm is not None
    assert "com.anaconda.skein.ApplicationMaster" in jvm.cmdline()
    jvm.kill()
    wait_for(lambda: not am.is_running(), 20, "the ApplicationMaster outlived skein's JVM")
    ended = running.end()
    assert ended.code == 0, ended.err
    assert sorted(place.tree("out")) == ["_SUCCESS", "model/weights"]
    assert read(tries) == 1
    report = gateway.application(app_id)
    assert (report["finalStatus"], am_attempts(gateway, app_id)) == ("SUCCEEDED", 2)
    gateway.nothing_is_left_of(app_id)


def test_the_last_master_dies_during_the_commit(place: Place, gateway: YarnGateway) -> None:
    running = gateway.start(
        *("--board-enable", "false", "--output", f"{place.at('out')}#model", *program("sleep 600"))
    )
    running.said("worker: 1 running", 180)
    app_id = gateway.submitted(running)
    begin_commit(place, gateway, app_id)
    part(app_id, "am").kill()
    ended = running.end()
    assert ended.code == 0, ended.err
    assert "the commit was completed" in ended.err
    assert f"{app_id} SUCCEEDED" in ended.err
    assert sorted(place.tree("out")) == ["_SUCCESS", "model/weights"]
    assert gateway.application(app_id)["finalStatus"] == "FAILED"
    gateway.nothing_is_left_of(app_id)


def test_a_lost_agent_is_a_reason_to_try_again(gateway: YarnGateway) -> None:
    running = gateway.start(*TWICE, *program("case $CONTAINER_ID in *_01_0*) sleep 600;; esac"))
    running.said("worker: 1 running", 180)
    app_id = gateway.submitted(running)
    part(app_id, "agent").kill()
    ended = running.end()
    assert ended.code == 0, ended.err
    assert am_attempts(gateway, app_id) == 2
    gateway.nothing_is_left_of(app_id)


def am_attempts(gateway: YarnGateway, app_id: str) -> int:
    found = gateway.ask(f"/ws/v1/cluster/apps/{app_id}/appattempts")
    return len(found["appAttempts"]["appAttempt"])


def test_the_end_for_good_is_not_tried_again(place: Place, gateway: YarnGateway) -> None:
    """YARN starts a second attempt, as skein has it; that one trains nothing and says the same."""
    tries = gateway.root / "tries"
    body = f"echo $CONTAINER_ID >> {tries}; sleep 600"
    running = gateway.start(*TWICE, "--output", f"{place.at('out')}#model", *program(body))
    running.said("worker: 1 running", 180)
    app_id = gateway.submitted(running)
    running.process.send_signal(signal.SIGINT)
    ended = running.end()
    assert ended.code == 2, ended.err
    assert f"{app_id} KILLED" in ended.err
    words = f"killed by {getpass.getuser()}: SIGINT to xl-submit"
    assert words in ended.err

    def told() -> object:
        return gateway.application(app_id)["state"] == "FINISHED"

    wait_for(told, 60, "the second attempt does not end")
    report = gateway.application(app_id)
    assert (report["finalStatus"], report["diagnostics"]) == ("KILLED", words)
    assert read(tries) == 1
    assert not place.tree("out")
    gateway.nothing_is_left_of(app_id)


def test_nothing_is_left_to_try(gateway: YarnGateway) -> None:
    running = gateway.start("--board-enable", "false", *program("sleep 600"))
    running.said("worker: 1 running", 180)
    app_id = gateway.submitted(running)
    jvm = part(app_id, "am").parent()
    assert jvm is not None
    jvm.kill()
    ended = running.end()
    assert ended.code == 2, ended.err
    words = "the ApplicationMaster's container ended unexpectedly: exit code 137, killed by SIGKILL"
    assert words in ended.err
    gateway.nothing_is_left_of(app_id)
