"""The exact command lines of Docker, and the variables of YARN's own Docker runtime."""

from __future__ import annotations

import dataclasses

import pytest

from xlearning.client.planning import docker as planning
from xlearning.client.problems import Problem
from xlearning.cluster import docker as asked
from xlearning.config import Config, load
from xlearning.container import docker
from xlearning.errors import XLearningError
from xlearning.frameworks import framework

PLACE = docker.Place(
    name="container_1",
    app_id="application_1",
    work="/local/app/work",
    log_dir="/logs/c1",
    folders=["/local", "/gone", "/logs/c1"],
    links=["/cache/a,b.tgz", "/local/in.txt"],
    user=7,
    group=8,
    groups=[9, 8],
    environ={
        "PATH": "/bin",
        "HOME": "/h",
        "JAVA_HOME": "/java",
        "HADOOP_HOME": "/none",
        "DOCKER_HOST": "d",
        "X": "y",
    },
    exists=lambda path: path not in ("/gone", "/none", "/etc/group"),
)
VARIABLES = {
    "PATH": "/node",
    "HOME": "/h",
    "CLASSPATH": "c",
    "LD_LIBRARY_PATH": "./",
    "SECRET": "s p\nq",
    "DOCKER_X": "1",
}
WANTED = docker.Wanted(["python", "a b", ""], VARIABLES, {"SECRET"}, 2048, 3)


def config(**more: str) -> Config:
    properties = {"container.type": "DOCKER", "docker.image": "i:1", **more}
    return Config.from_properties(
        {f"xlearning.{name.replace('_', '.')}": v for name, v in properties.items()}
    )


def test_the_whole_command() -> None:
    run = docker.run(WANTED, PLACE, config())
    assert list(run.command) == [
        *("docker", "run", "--rm", "--name", "container_1", "--label", "xlearning.application=application_1"),
        *("--network", "host", "--user", "7:8", "--group-add", "9", "--cpus", "3", "--memory", "2048m"),
        *("--workdir", "/work"),
        *("--mount", "type=bind,source=/local/app/work,target=/work"),
        *("--mount", "type=bind,source=/local/app/work,target=/local/app/work"),
        *("--mount", "type=bind,source=/logs/c1,target=/logs/c1"),
        *("--mount", "type=bind,source=/local,target=/local"),
        *("--mount", "type=bind,source=/etc/passwd,target=/etc/passwd,readonly"),
        *("--mount", "type=bind,source=/java,target=/java,readonly"),
        *("--mount", 'type=bind,"source=/cache/a,b.tgz","target=/cache/a,b.tgz",readonly'),
        *("--env", "HOME=/work", "--env", "DOCKER_CONTAINER_MEMORY=2048", "--env", "DOCKER_CONTAINER_CPU=3"),
        *("--env", "LD_LIBRARY_PATH=./", "--env", "SECRET", "--env", "DOCKER_X=1"),
        *("i:1", "python", "a b", ""),
    ]
    assert run.environ == {"SECRET": "s p\nq", "PATH": "/bin", "HOME": "/h", "DOCKER_HOST": "d"}


def test_the_users_own_path_and_arguments_win() -> None:
    wanted = dataclasses.replace(WANTED, own={"PATH", "SECRET"}, stdin=True)
    settings = config(docker_run_args="--cpus 9 --shm-size='1 g'", docker_worker_dir="/in/here",
                      docker_mounts="/data:/data:ro", docker_command="/bin/nvidia-docker")  # fmt: skip
    words = list(docker.run(wanted, PLACE, settings).command)
    assert words[0] == "/bin/nvidia-docker"
    assert "PATH=/node" in words
    assert "--interactive" in words
    assert words[words.index("--workdir") + 1] == "/in/here"
    assert words[words.index("--volume") + 1] == "/data:/data:ro"
    assert words[-7:] == ["--cpus", "9", "--shm-size=1 g", "i:1", "python", "a b", ""]


def test_gpus_by_their_names() -> None:
    wanted = dataclasses.replace(
        WANTED, gpus=2, devices=["GPU-a", "GPU-b"], variables={"CUDA_VISIBLE_DEVICES": "4,5"}
    )
    words = list(docker.run(wanted, PLACE, config()).command)
    assert words[words.index("--gpus") + 1] == '"device=GPU-a,GPU-b"'
    assert "CUDA_VISIBLE_DEVICES" not in words
    with pytest.raises(XLearningError, match="has 2 GPUs, and it is not known which"):
        docker.run(dataclasses.replace(wanted, devices=()), PLACE, config())
    own = docker.run(dataclasses.replace(wanted, devices=()), PLACE, config(docker_run_args="--gpus all"))
    assert own.command.count("--gpus") == 1


@pytest.mark.parametrize(
    ("host", "port", "found"), [("", "", "i:1"), ("r", "", "r/i:1"), ("r", "5000", "r:5000/i:1")]
)
def test_the_registry_stands_in_front(host: str, port: str, found: str) -> None:
    more = {"docker_registry_host": host, "docker_registry_port": port}
    assert asked.image(config(**{name: text for name, text in more.items() if text})) == found


def test_what_pulls_and_removes() -> None:
    assert docker.pull(config()) == ("docker", "pull", "i:1")
    assert docker.remove(config(), "c") == ("docker", "rm", "--force", "--volumes", "c")
    assert docker.find(config(), "c") == ("docker", "inspect", "--format", "{{.State.Pid}}", "c")


def test_yarns_own_runtime() -> None:
    settings = config(docker_runtime="YARN", docker_mounts="/data:/data:ro,/x:/x:rw")
    assert asked.variables(settings) == {
        "YARN_CONTAINER_RUNTIME_TYPE": "docker",
        "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE": "i:1",
        "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS": "/data:/data:ro,/x:/x:rw",
    }
    assert asked.variables(config()) == {}
    assert asked.variables(Config.from_properties({"xlearning.docker.runtime": "YARN"})) == {}


def checked(settings: Config, *, local: bool = False) -> tuple[list[str], list[str]]:
    problems: list[Problem] = []
    notes: list[str] = []
    name = "MPI" if local else "X"
    planning.check(name, framework(name), settings, problems, notes, local=local)
    return [problem.message for problem in problems], notes


def test_what_cannot_run_is_told() -> None:
    assert checked(config()) == ([], [])
    problems, _ = checked(config(docker_runtime="YARN", docker_image="a b"), local=True)
    assert problems == [
        "xlearning.docker.runtime=YARN: there is no YARN with --local",
        "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=a b: YARN can pass on letters, digits and ./:@,=+- only",
    ]
    (problem,), _ = checked(config(), local=True)
    assert problem.startswith("type MPI starts its ranks by a launcher")
    given = [
        ("container.type", "DOCKER"),
        ("docker.image", "i"),
        ("docker.runtime", "YARN"),
        ("docker.pull", "no"),
    ]
    _, notes = checked(load(environ={}, overrides=[(f"xlearning.{name}", text) for name, text in given]))
    assert notes == ["no effect with xlearning.docker.runtime=YARN: xlearning.docker.pull=no (--conf)"]
    _, notes = checked(load(environ={}, overrides=[("xlearning.docker.image", "i")]))
    assert notes == ["no effect without --container-type docker: xlearning.docker.image=i (--conf)"]
