"""Values that quoting spoils easily, names of users, and jobs that submit jobs, on this machine."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from odd_values import OddValues
from other_version import VERSION, use_other_version
from submitting import SUBMIT, Gateway, wait_for

STAY = ("bash", "-c", "echo I stay; echo x > m/x; sleep 600")


def test_odd_values_arrive(gateway: Gateway) -> None:
    odd = OddValues(gateway.work, str(gateway.root / "out, é"), yarn=False)
    ended = gateway.submit(*odd.words())
    assert ended.code == 0, ended.err
    odd.check((gateway.root / "out, é" / odd.local / "raw.json").read_text())
    assert odd.name in gateway.verb("list", "--local").out
    gateway.nothing_is_left()


def test_a_job_submits_a_job(gateway: Gateway) -> None:
    """The inner one is a job of its own, with the configuration that the outer one was submitted with."""
    inner = f"{shlex.quote(str(SUBMIT))} --local --output inner#k -- bash -c 'echo $CONTAINER_ID > k/id'"
    ended = gateway.submit(
        *("--output", "out#m", "--app-name", "outer", "--"),
        *("bash", "-c", f"{inner} > m/inner && cat inner/k/id >> m/inner && echo $CONTAINER_ID >> m/inner"),
    )
    assert ended.code == 0, ended.err
    app_id, its, own = (gateway.work / "out/m/inner").read_text().splitlines()
    assert app_id in gateway.verb("list", "--local").out
    assert its.startswith(app_id.replace("application", "container"))
    assert own.startswith(ended.app_id.replace("application", "container"))
    gateway.nothing_is_left()


def test_two_versions_and_a_user_with_a_dot(gateway: Gateway, tmp_path: Path) -> None:
    """Each of two versions knows the jobs of the other one, and ends them."""
    gateway.environment["HADOOP_USER_NAME"] = "first.last@REALM"
    here = (gateway.program, dict(gateway.environment))
    use_other_version(gateway, tmp_path / "other")
    there = (gateway.program, dict(gateway.environment))
    assert VERSION in gateway.verb("--version").out

    for one, other in ((here, there), (there, here)):
        gateway.program, gateway.environment = one
        out = f"out-{len(one[1])}"
        running = gateway.start("--detach", "--output", f"{out}#m", "--", *STAY)
        app_id = running.end().app_id
        gateway.program, gateway.environment = other
        wait_for(lambda app_id=app_id: "RUNNING" in gateway.verb("status", app_id).out, 30)
        shown = json.loads(gateway.verb("status", app_id, "--output", "json").out)
        assert shown["user"] == "first.last"
        if one is there:
            wait_for(lambda app_id=app_id: "I stay" in gateway.verb("logs", app_id).out, 30)
            assert gateway.verb("save", app_id).code == 0
        assert gateway.verb("kill", app_id).code == 0
        assert "KILLED" in gateway.verb("list", "--local").out
    gateway.nothing_is_left()
