"""Programs in Docker containers with ``--local``; a stand-in daemon runs and records them."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from docker_standin import Daemon
from submitting import PROGRAMS, Gateway, wait_for, words_of

_ODD = 'two words, a "quote"\nand a line'


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with tempfile.TemporaryDirectory(prefix="docker-") as folder:
        daemon = Daemon(Path(folder))
        yield daemon
        daemon.close()


@pytest.fixture
def docker(gateway: Gateway, daemon: Daemon) -> Gateway:
    gateway.environment |= {"DOCKER_HOST": daemon.host}
    gateway.properties |= {
        "xlearning.docker.command": str(daemon.command),
        "hbox.container.mode": "docker",
        "xlearning.docker.registry.host": "registry",
        "xlearning.docker.registry.port": "5000",
    }
    return gateway


def test_the_same_command_line_runs_in_a_container(docker: Gateway, daemon: Daemon) -> None:
    (docker.work / "in.txt").write_text("fed\n")
    ended = docker.submit(
        *("--docker-image", "train:1", "--worker-num", 2, "--worker-memory", "2g", "--worker-cores", 3),
        *("--files", PROGRAMS / "show.py", "--input", f"{docker.work / 'in.txt'}#data"),
        *("--input-strategy", "STREAM", "--conf", "xlearning.input.allow.empty=true"),
        *("--env", f"ODD={_ODD}", "--output", f"{docker.work / 'out'}#output"),
        *("--", sys.executable, "show.py", "a b", "$HOME"),
    )
    assert ended.code == 0, ended.err
    shown = [json.loads(path.read_text()) for path in (docker.work / "out").rglob("show-*.json")]
    assert len(shown) == 2
    for one in shown:
        assert one["argv"] == ["a b", "$HOME"]
        assert one["env"]["ODD"] == _ODD
        assert one["env"]["HOME"] == "/work"
        assert one["env"]["DOCKER_CONTAINER_MEMORY"] == "2048"
        assert "CLASSPATH" not in one["env"]
    assert [request.argv for request in daemon.of("pull")] == [["pull", "registry:5000/train:1"]] * 2
    runs, removed = daemon.of("run"), daemon.of("rm")
    assert len(runs) == 2
    assert sorted(request.argv[-1] for request in removed) == sorted(run.all("--name")[0] for run in runs)
    for run in runs:
        options, words = run.options()
        assert words == ["registry:5000/train:1", sys.executable, "show.py", "a b", "$HOME"]
        assert {name for name, _ in options} >= {"--rm", "--interactive", "--mount"}
        assert run.all("--user") == [f"{os.getuid()}:{os.getgid()}"]
        assert (run.all("--memory"), run.all("--cpus"), run.all("--network")) == (["2048m"], ["3"], ["host"])
        assert "ODD" in run.all("--env")
        assert not any(_ODD in word for word in run.argv)
        mounts = run.mounts()
        assert "show.py" in {Path(path).name for path in mounts}
        assert mounts.items() >= {"/etc/passwd": "/etc/passwd", mounts["/work"]: mounts["/work"]}.items()
    docker.nothing_is_left()


def agent_of(gateway: Gateway, container_id: str) -> psutil.Process:
    (found,) = (
        process
        for process in gateway.processes()
        if words_of(process)[-1:] == ["agent"] and process.environ().get("CONTAINER_ID") == container_id
    )
    return found


@pytest.mark.parametrize("killed", [False, True], ids=["job stopped", "agent killed"])
def test_a_container_ends_with_its_job(docker: Gateway, daemon: Daemon, *, killed: bool) -> None:
    """It does not hear TERM, and Docker's command that was killed is not the program."""
    started = docker.work / "started"
    script = f"trap '' TERM; touch {started}; while :; do sleep 0.05; done"
    running = docker.start("--docker-image", "train:1", "--conf", "xlearning.container.stop.grace=100ms",
                           "--", "bash", "-c", script)  # fmt: skip
    wait_for(lambda: started.exists() and daemon.containers)
    ((container_id, process),) = daemon.containers.items()
    if killed:
        agent_of(docker, container_id).kill()
    else:
        running.process.terminate()
    running.end()
    wait_for(lambda: not daemon.containers)
    assert process.poll() is not None
    assert [request.argv[:2] for request in daemon.of("rm")] == [["rm", "--force"]]
    docker.nothing_is_left()


def test_a_failed_pull_fails_the_container(docker: Gateway, daemon: Daemon) -> None:
    ended = docker.submit("--docker-image", "missing:1", "--", "true")
    assert ended.code != 0
    assert (
        "docker pull registry:5000/missing:1 failed: Error response from daemon: manifest unknown"
        in ended.err
    )
    assert not daemon.of("run")


def test_what_is_wrong_is_told_at_once(docker: Gateway) -> None:
    docker.properties["xlearning.docker.command"] = "no-such-docker"
    ended = docker.submit(
        "--conf", "xlearning.docker.run.args='a", "--conf", "xlearning.docker.mounts=x", "--", "true"
    )
    for words in (
        "container type docker has no image",
        "the quotes do not match",
        "xlearning.docker.mounts: x is no mount",
        "this machine has no no-such-docker",
    ):
        assert words in ended.err
