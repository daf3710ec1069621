"""The verbs on a job on a real YARN: one job, from its life to its end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import scalars
from json_answers import conforming
from minihadoop import MiniHadoop
from places import Place
from submitting import PATIENCE, PROGRAMS, SUBMIT, Ended, Running, wait_for
from webhdfs import WebHdfs
from yarn_gateway import YarnGateway, settled

from xlearning.fs import FileSystems

WORK = (
    "echo out $INDEX; printf 'no text: \\xff\\n'; echo err $INDEX >&2; mkdir -p output; echo m > output/m; "
    "echo 'reporter progress:0.25' >&2; sleep 600"
)


@pytest.fixture
def gateway(hadoop: MiniHadoop, tmp_path: Path) -> Iterator[YarnGateway]:
    path = f"/test-verbs-{uuid.uuid4().hex}"
    gateway = YarnGateway(tmp_path / "gateway", hadoop, hadoop.hdfs_uri + path, dict(os.environ))
    gateway.properties["xlearning.local.dir"] = str(tmp_path / "local")
    yield gateway
    gateway.close()
    gateway.end_applications()
    WebHdfs(hadoop.namenode_web).delete(path)


def test_one_job_from_life_to_end(gateway: YarnGateway, hdfs_dir: str, tmp_path: Path) -> None:
    scalars.write(tmp_path / "run", "loss", (1.0, 0.5))
    place = Place(hdfs_dir, FileSystems("file://"))
    job = gateway.start(
        *("--app-name", "verbs", "--app-type", "TENSORFLOW", "--worker-num", 2, "--board-enable", "false"),
        *("--output", f"{place.at('out')}#output", "--", "bash", "-c", WORK),
    )
    left = gateway.start(
        *("--detach", "--output", f"{place.at('left')}#output", "--conf", "xlearning.tf.board.path=none"),
        *("--board-historydir", place.at("events")),
        *("--", "bash", "-c", f"sleep 1; touch output/x; cp -r {tmp_path}/run eventLog"),
    )
    app_id = gateway.submitted(job)
    job.said("25%")
    program = start_program(gateway, app_id, place.at("by-program"))
    one_that_nobody_follows(gateway, left.end(), place)
    it_is_shown(gateway, app_id)
    it_is_described(gateway, app_id)
    its_logs_are_on_the_nodes(gateway, app_id)
    followed = gateway.start_verb("top", app_id, "--logs=worker:1")
    told = gateway.verb("save", app_id, "--output", "json")
    assert told.code == 0, told.err
    (saved,) = conforming("save", json.loads(told.out))["save"]["paths"]
    assert place.exists(f"{saved.removeprefix(place.uri + '/')}/_SUCCESS")
    stranger = others_see_little(gateway, app_id)
    program.said("asked")
    followed.said("worker:1 | err 1")
    killed = gateway.verb("kill", app_id, "--reason", "seen enough")
    assert (killed.code, killed.out) == (0, f"{app_id} KILLED\n"), killed.err
    end = job.end()
    assert end.code == 2
    assert re.search(f"{app_id} KILLED after .*: killed by .*: seen enough", end.err)
    settled(gateway, app_id)
    it_was_followed(followed.end(), stranger.end(), app_id)
    it_is_remembered(gateway, app_id, saved)
    its_logs_are_gathered(gateway, app_id)
    program_has_seen(program.end(), app_id, place)
    what_others_have_put_there_is_not_believed(gateway, app_id)
    gateway.nothing_is_left_of(app_id)


def start_program(gateway: YarnGateway, app_id: str, output: str) -> Running:
    """A program that uses the Python interface, beside the verbs."""
    gateway.program = (sys.executable, "-W", "error", str(PROGRAMS / "python_api.py"))
    try:
        return gateway.start_verb(app_id, output)
    finally:
        gateway.program = YarnGateway.program


def program_has_seen(ended: Ended, app_id: str, place: Place) -> None:
    """It was told the same as the verbs, and ran two jobs with one client."""
    assert (ended.code, ended.err) == (0, "asked\n"), ended.err
    seen = json.loads(ended.out)
    assert (seen["state"], app_id in seen["listed"]) == ("RUNNING", True)
    assert f"/proxy/{app_id}/pages/job/" in seen["page"]
    assert seen["lines"] == ["no text: \ufffd", "no text: \ufffd", "out 0", "out 1"]
    assert seen["states"] == ["SUCCEEDED", "FAILED"]
    assert seen["outputs"] == [[place.at("by-program/good")], []]
    assert "exit code 3" in seen["reason"] and "First to fail: worker:0" in seen["text"]
    assert place.exists("by-program/good/_SUCCESS") and not place.exists("by-program/bad")


def one_that_nobody_follows(gateway: YarnGateway, left: Ended, place: Place) -> None:
    assert left.code == 0, left.err
    assert f"xl-submit kill {left.app_id}" in left.err and "SUCCEEDED" not in left.err
    wait_for(lambda: gateway.application(left.app_id)["state"] == "FINISHED", message="it does not end")
    settled(gateway, left.app_id)
    assert {name.rpartition("/")[2] for name in place.tree("left")} == {"x", "_SUCCESS"}
    told = json.loads(good(gateway.verb("status", left.app_id, "--output", "json")))
    assert (told["state"], told["source"], told["details"]["state"]) == ("SUCCEEDED", "history", "SUCCEEDED")
    again = conforming("submit", json.loads(good(gateway.verb("top", left.app_id, "--output", "json"))))
    assert (again["state"], again["exit_code"], again["published"]) == ("SUCCEEDED", 0, [place.at("left")])
    tags, looked = scalars.shown(gateway, left.app_id)
    assert ('"loss"' in tags, looked.code) == (True, 0), looked.err
    assert f"from {place.at('events')}/{left.app_id} (files: 1)" in looked.err


def container(app_id: str, number: int) -> str:
    return f"{app_id.replace('application', 'container')}_01_{number:06d}"


def good(ended: Ended) -> str:
    assert ended.code == 0, ended.err
    return ended.out


def it_is_shown(gateway: YarnGateway, app_id: str) -> None:
    text = good(gateway.verb("status", app_id))
    assert re.match(rf"{app_id} RUNNING for [\d. ms]+\n", text)
    for part in ("On          YARN", "Type        TENSORFLOW", f"/proxy/{app_id}/pages/job/", "25%"):
        assert part in text
    assert "Note:" not in text
    data = conforming("status", json.loads(good(gateway.verb("status", app_id, "--output", "json"))))
    assert (data["backend"], data["source"], data["state"]) == ("yarn", "am", "RUNNING")
    assert {one["role"] for one in data["details"]["containers"]} == {"worker"}
    told = good(gateway.verb("list", "--state", "running", "--output", "json"))
    (listed,) = [one for one in conforming("list", json.loads(told))["jobs"] if one["app_id"] == app_id]
    assert (listed["app_name"], listed["app_type"], listed["backend"]) == ("verbs", "TENSORFLOW", "yarn")
    assert listed["queue"].endswith("default")
    assert listed["state"] == "RUNNING"
    # a shell asks again, too, where the cluster does not answer while a finger is on the key
    wait_for(lambda: app_id in completed(gateway, "xl-submit kill "))
    wait_for(lambda: any(name.endswith("default") for name in completed(gateway, "xl-submit --queue ")))


def completed(gateway: YarnGateway, line: str) -> list[str]:
    """What a shell is told, by a client that has neither Java nor yarn."""
    asked = {"_XL_SUBMIT_COMPLETE": "fish_complete", "XL_SUBMIT_LINE": line, "PATH": "/nowhere"}
    cache = {"XDG_CACHE_HOME": str(gateway.root / "cache")}
    done = subprocess.run(
        [sys.executable, SUBMIT],
        env={**gateway.environ(), **asked, **cache},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stderr == ""
    return [item.partition(",")[2].partition("\t")[0] for item in done.stdout.splitlines()]


def it_is_described(gateway: YarnGateway, app_id: str) -> None:
    data = conforming("describe", json.loads(good(gateway.verb("describe", app_id, "--output", "json"))))
    assert (data["source"], data["backend"], data["notes"]) == ("am", "yarn", [])
    assert data["command"][-1] == WORK and data["properties"]["xlearning.worker.memory"] == "512"
    assert data["links"]["page"].endswith(f"/proxy/{app_id}/pages/job/")
    assert data["links"]["yarn"].endswith(f"/cluster/app/{app_id}")
    assert (data["attempts"][0]["container_id"], data["attempts"][0]["state"]) == (
        *(container(app_id, 1), "RUNNING"),
    )
    assert all(one["log_url"].startswith("http://") for one in data["containers"])
    assert good(gateway.verb("open", app_id, "--print")).strip() == data["links"]["page"]


def its_logs_are_on_the_nodes(gateway: YarnGateway, app_id: str) -> None:
    one = gateway.start_verb("logs", app_id, "--role", "worker", "--index", 1, "--file", "stdout")
    assert one.process.stdout is not None
    raw = one.process.stdout.buffer.read()
    one.end()
    assert raw == b"out 1\nno text: \xff\n"
    both = good(gateway.verb("logs", app_id, "--tail", 1, "--file", "stderr"))
    assert re.findall(r"==> (worker:\d) container_\S+ stderr <==\nreporter", both) == ["worker:0", "worker:1"]
    assert "application.driver.log <==" in good(gateway.verb("logs", app_id, "--role", "am", "--tail", 1))


def others_see_little(gateway: YarnGateway, app_id: str) -> Running:
    """What somebody else is told; they follow it, too."""
    gateway.environment["HADOOP_USER_NAME"] = "somebody"
    text = good(gateway.verb("status", app_id))
    assert f"{app_id} RUNNING" in text
    assert "its staging folder, which holds the key to it, is private" in text
    assert re.search(rf"AM    RUNNING  \S+ +{container(app_id, 1)}", text)
    saved = gateway.verb("save", app_id)
    assert saved.code == 1 and "is private" in saved.err and "Traceback" not in saved.err
    assert app_id not in gateway.verb("list").out
    stranger = gateway.start_verb("top", app_id)
    stranger.said("more than its state and its end is private")
    del gateway.environment["HADOOP_USER_NAME"]
    return stranger


def it_was_followed(owner: Ended, stranger: Ended, app_id: str) -> None:
    """By another client of its user, and by somebody who may not touch it."""
    for one in (owner, stranger):
        assert (one.code, one.out) == (2, f"{app_id}\n"), one.err
        assert re.search(f"{app_id} KILLED after .*: killed by .*: seen enough", one.err)
    assert "INFO  RUNNING · worker: 2 running · 25%" in owner.err
    assert "worker:1 | out 1" in owner.err and "worker:0 |" not in owner.err
    assert "put in order" not in stranger.err
    assert "INFO  RUNNING · waiting for its end\n" in stranger.err


def it_is_remembered(gateway: YarnGateway, app_id: str, saved: str) -> None:
    text = good(gateway.verb("status", app_id))
    assert text.startswith(f"{app_id} KILLED after ")
    assert "seen enough" in text and saved in text and "worker:1" in text
    again = gateway.verb("kill", app_id, "--output", "json")
    told = conforming("kill", json.loads(good(again)))
    assert (told["killed"], told["state"], "seen enough" in told["reason"]) == (False, "KILLED", True)
    data = conforming("describe", json.loads(good(gateway.verb("describe", app_id, "--output", "json"))))
    assert (data["source"], data["notes"], data["command"][-1]) == ("history", [], WORK)
    assert data["properties"]["xlearning.worker.memory"] == "512"
    assert (data["links"]["page"], data["attempts"][0]["container_id"]) == ("", container(app_id, 1))
    opened = conforming("open", json.loads(good(gateway.verb("open", app_id, "--output", "json"))))
    assert (opened["what"], opened["url"], opened["opened"]) == ("yarn", data["links"]["yarn"], False)
    past = conforming("history", json.loads(good(gateway.verb("history", "--output", "json"))))
    (listed,) = [one for one in past["jobs"] if one["app_id"] == app_id]
    assert (listed["state"], listed["backend"], listed["recorded"]) == ("KILLED", "yarn", True)
    assert "seen enough" in listed["reason"] and past["notes"] == []
    late = gateway.verb("save", app_id)
    assert late.code == 1 and "has ended (KILLED)" in late.err


def what_others_have_put_there_is_not_believed(gateway: YarnGateway, app_id: str) -> None:
    """A folder of somebody else under the name of the job, with a record that fits but for its command."""
    folder = f"{gateway.shared}/history/{app_id}"
    with gateway.storage.default.open_read(f"{folder}/job.json") as file:
        record = json.load(file)
    gateway.storage.default.delete(folder, recursive=True)
    forge = (
        "import sys; from xlearning.fs import FileSystems; fs = FileSystems().of(sys.argv[1])\n"
        "fs.mkdirs(sys.argv[1], mode=0o755)\n"
        "with fs.open_write(sys.argv[1] + '/job.json') as file: file.write(sys.stdin.buffer.read())"
    )
    subprocess.run(
        [sys.executable, "-c", forge, folder],
        input=json.dumps({**record, "command": ["evil"]}).encode(),
        env={**gateway.environ(), "HADOOP_USER_NAME": "evil"},
        check=True,
        timeout=PATIENCE,
    )
    told = conforming("status", json.loads(good(gateway.verb("status", app_id, "--output", "json"))))
    assert (told["source"], told["details"]) == ("backend", None)
    assert f"the history in {folder} is not believed: it belongs to evil, not to" in told["notes"][0]


def its_logs_are_gathered(gateway: YarnGateway, app_id: str) -> None:
    done = ("SUCCEEDED", "FAILED")
    wait_for(
        lambda: gateway.application(app_id)["logAggregationStatus"] in done, message="logs are not gathered"
    )
    words = ("--role", "worker", "--index", 0, "--file", "stderr")
    assert "err 0\n" in good(gateway.verb("logs", app_id, *words))
    nowhere = ("--conf", "xlearning.history.log.dir=/nowhere")  # the roles are then known by YARN's logs
    text = good(gateway.verb("logs", app_id, *nowhere, "--role", "worker", "--file", "stderr"))
    assert re.findall(r"==> worker container_\S+_00000(\d) stderr <==\nerr", text) == ["2", "3"]
