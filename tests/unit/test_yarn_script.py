"""The scripts that start our processes on YARN, run by a real bash."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from xlearning.cluster.base import ENV_ROLE
from xlearning.cluster.yarn_script import LIBRARY, Launch, agent_script, am_script

ODD = "a 'b' \"c\" $HOME `x` \\ é\nnew"


def run(folder: Path, script: str) -> dict[str, str]:
    """The environment that our process would have."""
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
    }
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=given, capture_output=True, check=True, timeout=30
    )
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


def test_an_agent(tmp_path: Path) -> None:
    env = run(tmp_path, agent_script(Launch(program(tmp_path), "hdfs://nn:1/s"), "ps"))
    assert env["ARGS"].endswith(" agent")
    assert env[ENV_ROLE] == "ps"
    assert "HADOOP_USER_NAME" not in env
