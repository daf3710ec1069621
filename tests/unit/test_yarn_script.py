"""The scripts that start our processes on YARN, run by a real bash."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from xlearning.cluster.base import ENV_ROLE
from xlearning.cluster.yarn_script import (
    EXTRAS_LIBRARY,
    LIBRARY,
    MASTER_LIBRARY,
    NO_INTERPRETER,
    Launch,
    agent_script,
    am_script,
)
from xlearning.container import bootstrap

ODD = "a 'b' \"c\" $HOME `x` \\ é\nnew"


def start(folder: Path, script: str, environ: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run a script as YARN would."""
    (folder / ".skein.crt").write_text("certificate")
    (folder / ".skein.pem").write_text("key")
    given = {
        "PATH": os.environ["PATH"],
        "CONTAINER_ID": "container_e17_1700000000000_0001_08_000002",
        "SKEIN_APPLICATION_ID": "application_1700000000000_0001",
        "LOG_DIRS": f"{folder}/logs,/other",
        "NM_HOST": "node7",
        "http_proxy": "http://proxy:1",
        "JDK_JAVA_OPTIONS": "-X",
        **environ,
    }
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=given, capture_output=True, check=False, timeout=30
    )


def run(folder: Path, script: str, **environ: str) -> dict[str, str]:
    """The environment that our process would have."""
    done = start(folder, script, environ)
    assert done.returncode == 0, done.stderr
    entries = done.stdout.decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def program(folder: Path) -> str:
    """Stands for Python: shows its environment and arguments."""
    path = folder / "py thon"
    path.write_text('#!/bin/bash\nprintf "ARGS=%s\\0" "$*"\nenv -0\n')
    path.chmod(0o755)
    return str(path)


def test_the_master(tmp_path: Path) -> None:
    launch = Launch(program(tmp_path), "hdfs://nn:1/st age", "alice")
    env = run(tmp_path, am_script(launch, {"ODD": ODD}))
    assert env["ARGS"] == f"{LIBRARY}/xlearning/container/bootstrap.py am"
    assert env["ODD"] == ODD
    assert env["XLEARNING_STAGING"] == "hdfs://nn:1/st age/application_1700000000000_0001"
    assert env["XLEARNING_APP_ID"] == "application_1700000000000_0001"
    assert (env["XLEARNING_ATTEMPT"], env["XLEARNING_HOST"]) == ("8", "node7")
    assert env["XLEARNING_LOG_DIR"] == f"{tmp_path}/logs"
    assert (env["HOME"], env["HADOOP_USER_NAME"]) == (str(tmp_path), "alice")
    links = (LIBRARY, MASTER_LIBRARY, EXTRAS_LIBRARY)
    assert env["PYTHONPATH"] == ":".join(f"{tmp_path}/{link}" for link in links)
    assert not {"http_proxy", "JDK_JAVA_OPTIONS"} & set(env)
    credentials = Path(env["XLEARNING_CREDENTIALS"])
    assert (credentials / "tls.crt").read_text() == "certificate"
    assert (credentials / "tls.key").stat().st_mode & 0o777 == 0o600


def test_a_secure_cluster(tmp_path: Path) -> None:
    launch = Launch(program(tmp_path), "hdfs://nn:1/s", "", ("hdfs://nn:1", "hdfs://other"), ("alice", "bob"))
    env = run(tmp_path, am_script(launch, {}))
    assert "HADOOP_USER_NAME" not in env
    assert env["XLEARNING_FILE_SYSTEMS"] == "hdfs://nn:1 hdfs://other"
    assert env["XLEARNING_VIEWERS"] == "alice bob"


def test_a_node_without_hadoop_configuration_gets_the_gateways(tmp_path: Path) -> None:
    texts = {"core-site.xml": f"<a>{ODD}</a>", "hdfs-site.xml": "<b/>\n"}
    launch = Launch(program(tmp_path), "hdfs://nn:1/s", hadoop=texts)
    for environ in ({}, {"HADOOP_CONF_DIR": "/nowhere"}):
        folder = Path(run(tmp_path, agent_script(launch, "worker"), **environ)["HADOOP_CONF_DIR"])
        assert folder.parent == tmp_path
        assert {path.name: path.read_text() for path in folder.iterdir()} == texts
    own = tmp_path / "etc"
    own.mkdir()
    (own / "core-site.xml").touch()
    env = run(tmp_path, agent_script(launch, "worker"), HADOOP_CONF_DIR=str(own))
    assert env["HADOOP_CONF_DIR"] == str(own)


def test_path_and_java_are_set(tmp_path: Path) -> None:
    script = agent_script(Launch(program(tmp_path), "hdfs://nn:1/s"), "worker")
    env = run(tmp_path, script, PATH=f"{os.environ['PATH']}:.", JAVA_HOME="/opt/java")
    assert env["PATH"] == "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    assert env["JAVA_HOME"] == "/opt/java"
    if Path("/usr/bin/java").exists():
        assert Path(run(tmp_path, script)["JAVA_HOME"], "bin", "java").exists()


def test_no_interpreter(tmp_path: Path) -> None:
    done = start(tmp_path, agent_script(Launch('/no/$PATH/`py`"', "hdfs://nn:1/s"), "worker"), {})
    assert done.returncode == NO_INTERPRETER == bootstrap.NO_PYTHON
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith('xlearning: the agent cannot run: there is no /no/$PATH/`py`" on ')
    assert line.endswith("; set xlearning.python")


def test_an_agent(tmp_path: Path) -> None:
    env = run(tmp_path, agent_script(Launch(program(tmp_path), "hdfs://nn:1/s"), "ps"))
    assert env["ARGS"].endswith(" agent")
    assert env[ENV_ROLE] == "ps"
    assert "HADOOP_USER_NAME" not in env
