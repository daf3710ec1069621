"""Attempts on a real YARN: what ends a job for good, what is tried again, and what a second attempt finds."""

from __future__ import annotations

import getpass
import json
import signal
import socket
from pathlib import Path

from places import Place
from submitting import wait_for
from yarn_gateway import YarnGateway, part, processes_of

from xlearning.fs.base import exists
from xlearning.fs.intent import TEMPORARY, Intent, Move
from xlearning.job import to_dict

TWICE = ("--conf", "xlearning.app.max.attempts=2", "--board-enable", "false")


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
    running.said("worker: 1 running")
    app_id = gateway.submitted(running)
    first = {p.pid for p in processes_of(app_id)}
    part(app_id, "am").kill()
    grown = 512 + 256 + 768  # the ApplicationMaster with skein, a worker with half as much again
    wait_for(lambda: gateway.application(app_id)["allocatedMB"] == grown, message="memory has not grown")
    wait_for(lambda: read(started) == 2, message="it does not run again")
    assert gateway.application(app_id)["runningContainers"] == 2
    wait_for(lambda: not first & {p.pid for p in processes_of(app_id)}, message="the first attempt is left")
    go.touch()
    ended = running.end()
    assert ended.code == 0, ended.err
    assert place.read("out/model/who").decode().split("_")[3] == "02"
    assert sorted(place.tree("out")) == ["_SUCCESS", "model/who"]
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
    running.said("worker: 1 running")
    app_id = gateway.submitted(running)
    begin_commit(place, gateway, app_id)
    am = part(app_id, "am")
    jvm = am.parent()
    assert jvm is not None
    assert "com.anaconda.skein.ApplicationMaster" in jvm.cmdline()
    jvm.kill()
    wait_for(lambda: not am.is_running(), message="the ApplicationMaster outlived skein's JVM")
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
    running.said("worker: 1 running")
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
    running.said("worker: 1 running")
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
    running.said("worker: 1 running")
    app_id = gateway.submitted(running)
    running.process.send_signal(signal.SIGINT)
    ended = running.end()
    assert ended.code == 2, ended.err
    assert f"{app_id} KILLED" in ended.err
    words = f"killed by {getpass.getuser()}: SIGINT to xl-submit"
    assert words in ended.err

    def told() -> object:
        return gateway.application(app_id)["state"] == "FINISHED"

    wait_for(told, message="the second attempt does not end")
    report = gateway.application(app_id)
    assert (report["finalStatus"], report["diagnostics"]) == ("KILLED", words)
    assert read(tries) == 1
    assert not place.tree("out")
    gateway.nothing_is_left_of(app_id)


def test_nothing_is_left_to_try(gateway: YarnGateway) -> None:
    running = gateway.start("--board-enable", "false", "--priority", "HIGH", *program("sleep 600"))
    running.said("worker: 1 running")
    assert "YARN gave the application priority 0, not 4" in running.err
    app_id = gateway.submitted(running)
    jvm = part(app_id, "am").parent()
    assert jvm is not None
    jvm.kill()
    ended = running.end()
    assert ended.code == 2, ended.err
    words = "the ApplicationMaster's container ended unexpectedly: exit code 137: killed (SIGKILL)"
    assert words in ended.err
    gateway.nothing_is_left_of(app_id)


def test_what_yarn_refuses_is_told_before_containers_are_waited_for(gateway: YarnGateway) -> None:
    ended = gateway.submit(
        *("--worker-memory", "100g", "--ps-num", 0, "--worker-gpus", 1, "--priority", "FAST", "--", "true")
    )
    assert (ended.code, ended.out) == (1, "")
    assert "a worker container asks for 102400 MB of memory; the largest container" in ended.err
    assert "no node of this cluster offers yarn.io/gpu" in ended.err
    assert "xlearning.app.priority=FAST is no priority" in ended.err
    ended = gateway.submit("--queue", "nosuch", "--", "true")
    assert (ended.code, ended.out) == (1, "")
    assert "there is no queue nosuch" in ended.err
    assert "Traceback" not in ended.err


def test_a_resource_manager_that_never_answers(gateway: YarnGateway) -> None:
    """It accepts connections, as one does that hangs."""
    with socket.create_server(("127.0.0.1", 0), backlog=20) as silent:
        conf = gateway.root / "hadoop-conf"
        conf.mkdir()
        given = Path(gateway.environment["HADOOP_CONF_DIR"])
        (conf / "core-site.xml").write_bytes((given / "core-site.xml").read_bytes())
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        rows = "".join(
            f"<property><name>yarn.resourcemanager.{name}</name><value>{address}</value></property>"
            for name in ("address", "webapp.address")
        )
        (conf / "yarn-site.xml").write_text(f"<configuration>{rows}</configuration>")
        gateway.environment["HADOOP_CONF_DIR"] = gateway.environment["YARN_CONF_DIR"] = str(conf)
        ended = gateway.submit("--", "true")
    assert (ended.code, ended.out) == (1, "")
    assert "no ResourceManager" in ended.err
    assert address in ended.err
    assert "Traceback" not in ended.err
