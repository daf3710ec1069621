"""The verbs on a job on a real YARN: one job, from its life to its end."""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from places import Place
from submitting import Ended, wait_for
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
    WebHdfs(hadoop.namenode_web).delete(path)


def test_one_job_from_life_to_end(gateway: YarnGateway, hdfs_dir: str) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))
    job = gateway.start(
        *("--app-name", "verbs", "--app-type", "TENSORFLOW", "--worker-num", 2, "--board-enable", "false"),
        *("--output", f"{place.at('out')}#output", "--", "bash", "-c", WORK),
    )
    left = gateway.start(
        *("--detach", "--board-enable", "false", "--output", f"{place.at('left')}#output"),
        *("--", "bash", "-c", "sleep 1; touch output/x"),
    )
    app_id = gateway.submitted(job)
    job.said("25%", 180)
    one_that_nobody_follows(gateway, left.end(), place)
    it_is_shown(gateway, app_id)
    its_logs_are_on_the_nodes(gateway, app_id)
    saved = gateway.verb("save", app_id)
    assert saved.code == 0, saved.err
    assert place.exists(f"{saved.out.strip().removeprefix(place.uri + '/')}/_SUCCESS")
    others_see_little(gateway, app_id)
    killed = gateway.verb("kill", app_id, "--reason", "seen enough")
    assert (killed.code, killed.out) == (0, f"{app_id} KILLED\n"), killed.err
    end = job.end()
    assert end.code == 2
    assert re.search(f"{app_id} KILLED after .*: killed by .*: seen enough", end.err)
    gateway.nothing_is_left_of(app_id)
    it_is_remembered(gateway, app_id, saved.out.strip())
    its_logs_are_gathered(gateway, app_id)


def one_that_nobody_follows(gateway: YarnGateway, left: Ended, place: Place) -> None:
    assert left.code == 0, left.err
    assert f"xl-submit kill {left.app_id}" in left.err and "SUCCEEDED" not in left.err
    wait_for(lambda: gateway.application(left.app_id)["state"] == "FINISHED", 120, "it does not end")
    settled(gateway, left.app_id)
    assert {name.rpartition("/")[2] for name in place.tree("left")} == {"x", "_SUCCESS"}
    told = json.loads(good(gateway.verb("status", left.app_id, "--output", "json")))
    assert (told["state"], told["source"], told["details"]["state"]) == ("SUCCEEDED", "history", "SUCCEEDED")


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
    data = json.loads(good(gateway.verb("status", app_id, "--output", "json")))
    assert (data["where"], data["source"], data["state"]) == ("YARN", "ApplicationMaster", "RUNNING")
    assert {one["role"] for one in data["details"]["containers"]} == {"worker"}
    (listed,) = [
        one for one in json.loads(good(gateway.verb("list", "--output", "json"))) if one["id"] == app_id
    ]
    assert (listed["name"], listed["type"], listed["where"]) == ("verbs", "TENSORFLOW", "YARN")
    assert listed["state"] == "RUNNING"


def its_logs_are_on_the_nodes(gateway: YarnGateway, app_id: str) -> None:
    one = gateway.start_verb("logs", app_id, "--role", "worker", "--index", 1, "--file", "stdout")
    assert one.process.stdout is not None
    raw = one.process.stdout.buffer.read()
    one.end()
    assert raw == b"out 1\nno text: \xff\n"
    both = good(gateway.verb("logs", app_id, "--tail", 1, "--file", "stderr"))
    assert re.findall(r"==> (worker:\d) container_\S+ stderr <==\nreporter", both) == ["worker:0", "worker:1"]
    assert "application.driver.log <==" in good(gateway.verb("logs", app_id, "--role", "am", "--tail", 1))


def others_see_little(gateway: YarnGateway, app_id: str) -> None:
    gateway.environment["HADOOP_USER_NAME"] = "somebody"
    text = good(gateway.verb("status", app_id))
    assert f"{app_id} RUNNING" in text
    assert "its staging folder, which holds the key to it, is private" in text
    assert re.search(rf"AM    RUNNING  \S+ +{container(app_id, 1)}", text)
    saved = gateway.verb("save", app_id)
    assert saved.code == 1 and "is private" in saved.err and "Traceback" not in saved.err
    assert app_id not in gateway.verb("list").out
    del gateway.environment["HADOOP_USER_NAME"]


def it_is_remembered(gateway: YarnGateway, app_id: str, saved: str) -> None:
    text = good(gateway.verb("status", app_id))
    assert text.startswith(f"{app_id} KILLED after ")
    assert "seen enough" in text and saved in text and "worker:1" in text
    again = gateway.verb("kill", app_id)
    assert (again.code, again.out) == (0, f"{app_id} KILLED\n")
    late = gateway.verb("save", app_id)
    assert late.code == 1 and "has ended (KILLED)" in late.err


def its_logs_are_gathered(gateway: YarnGateway, app_id: str) -> None:
    done = ("SUCCEEDED", "FAILED")
    wait_for(lambda: gateway.application(app_id)["logAggregationStatus"] in done, 60, "logs are not gathered")
    words = ("--role", "worker", "--index", 0, "--file", "stderr")
    assert "err 0\n" in good(gateway.verb("logs", app_id, *words))
