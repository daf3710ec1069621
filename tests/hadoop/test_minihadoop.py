"""tools/minihadoop itself: a cluster comes up, obeys, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop, MiniHadoopError, cluster, daemons, health, jars
from minihadoop.layout import State
from minihadoop.processes import find_by_argument, find_containers
from webhdfs import WebHdfs

pytestmark = pytest.mark.usefixtures("hadoop_tools")

TOOL = [sys.executable, str(Path(cluster.__file__).parent)]


@pytest.fixture(scope="module")
def small(hadoop_tools: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MiniHadoop]:  # noqa: ARG001
    """A cluster of one node that a test may disturb, if it leaves it fully up."""
    with MiniHadoop(tmp_path_factory.mktemp("small"), nodes=1) as one:
        yield one


@pytest.fixture
def own(tmp_path: Path) -> Iterator[MiniHadoop]:
    """A folder for a cluster of one node; whatever a test leaves running there goes with the test."""
    jars.fetch(jars.DEFAULT_VERSION)
    guard = subprocess.Popen([*TOOL, "guard", "--dir", str(tmp_path)], stdin=subprocess.PIPE)
    yield MiniHadoop(tmp_path, nodes=1)
    guard.communicate()


def run(hadoop: MiniHadoop, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*TOOL, *arguments, "--dir", str(hadoop.layout.root)]
    return subprocess.run(command, capture_output=True, text=True, timeout=500)


def wait_for(condition: Callable[[], bool], seconds: float = 400.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        time.sleep(0.05)


def leftovers(one: MiniHadoop) -> list[int]:
    """Process ids of the cluster's daemons and containers."""
    found = find_by_argument(daemons.marker(one.layout)) + find_containers(one.layout.data)
    return [each.pid for each in found]


def started(one: MiniHadoop) -> list[str]:
    """Names of the daemons that were started so far."""
    state = State.load(one.layout)
    return [] if state is None else list(state.daemons)


def round_trip(one: MiniHadoop, path: str) -> None:
    web = WebHdfs(one.namenode_web)
    data = os.urandom(100_000)
    web.write(f"{path}/é x", data)
    assert web.read(f"{path}/é x") == data


def test_both_nodes_run_and_hdfs_keeps_bytes(hadoop: MiniHadoop, hdfs_dir: str, tmp_path: Path) -> None:
    assert hadoop.nodes == 2
    assert len(health.live_nodes(hadoop.state())) == 2
    assert hdfs_dir.startswith(hadoop.hdfs_uri + "/")
    path = urllib.parse.urlsplit(hdfs_dir).path
    (tmp_path / "file").write_bytes(os.urandom(3_000_000))
    put = [
        "hdfs",
        "dfs",
        "-put",
        str(tmp_path / "file"),
        path,
    ]  # the relative path finds HDFS by HADOOP_CONF_DIR
    subprocess.run(put, env=hadoop.env(), check=True, timeout=240)
    web = WebHdfs(hadoop.namenode_web)
    assert web.list(path)["file"]["length"] == 3_000_000
    assert web.read(f"{path}/file") == (tmp_path / "file").read_bytes()


def test_status(hadoop: MiniHadoop) -> None:
    done = run(hadoop, "status", "--json")
    assert done.returncode == 0, done.stdout
    report = json.loads(done.stdout)
    assert report["up"]
    assert len(report["live_nodes"]) == report["nodes"] == 2
    assert report["live_datanodes"] == 1
    assert report["daemons"]["namenode"]["addresses"]["rpc"] == hadoop.hdfs_uri
    assert report["daemons"]["resourcemanager"]["addresses"]["http"] == hadoop.rm_web
    assert {each["process"] for each in report["daemons"].values()} == {"running"}
    assert "2 of 2 nodes RUNNING" in run(hadoop, "status").stdout


def test_up_again_says_so(hadoop: MiniHadoop) -> None:
    before = hadoop.state()
    done = run(hadoop, "up", "--nodes", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("already up: ")
    assert hadoop.state() == before
    other = run(hadoop, "up", "--nodes", "3")
    assert other.returncode == 1
    assert "is up with 2 node(s): run `down` first" in other.stderr


def test_env_is_for_the_shell(hadoop: MiniHadoop) -> None:
    lines = run(hadoop, "env").stdout
    script = f'eval {shlex.quote(lines)}; command -v yarn; echo "$HADOOP_CONF_DIR"; yarn classpath'
    done = subprocess.run(["/bin/sh", "-c", script], check=True, stdout=subprocess.PIPE, text=True)
    yarn, conf, classpath = done.stdout.splitlines()
    assert yarn == str(hadoop.layout.bin / "yarn")
    assert conf == hadoop.env()["HADOOP_CONF_DIR"] == hadoop.env()["YARN_CONF_DIR"]
    assert classpath == f"{conf}:{hadoop.state().lib}/*"
    assert os.environ.get("HADOOP_CONF_DIR") != conf


def test_logs(hadoop: MiniHadoop) -> None:
    own = run(hadoop, "logs", "nodemanager1", "-n", "3").stdout
    assert len(own.splitlines()) == 3
    every = run(hadoop, "logs", "-n", "1").stdout
    assert [line for line in every.splitlines() if line.startswith("==> ")] == [
        f"==> {hadoop.layout.log_of(name)} <==" for name in daemons.names(2)
    ]


def test_a_paused_namenode_shows_and_goes_on(small: MiniHadoop) -> None:
    small.pause("hdfs")
    assert small.troubles() == {"namenode": "paused", "datanode": "paused"}
    done = run(small, "status")
    assert done.returncode == 1
    assert "NOT fully up" in done.stdout
    small.resume("hdfs")
    wait_for(lambda: not small.troubles())
    round_trip(small, "/paused")


def test_daemons_stop_and_come_back_with_their_data(small: MiniHadoop) -> None:
    uri = small.hdfs_uri
    WebHdfs(small.namenode_web).write("/kept", b"kept")
    small.stop("namenode", kill=True)
    small.stop("nodemanager0")
    assert small.troubles() == {"namenode": "dead", "nodemanager0": "dead"}
    assert run(small, "start", "namenode").returncode == 0
    small.start("yarn")
    assert small.troubles() == {}
    assert small.hdfs_uri == uri

    def kept() -> bool:
        try:
            return WebHdfs(small.namenode_web).read("/kept") == b"kept"
        except OSError:  # the DataNode's HTTP door first tries its connection to the old NameNode
            return False

    wait_for(kept)
    round_trip(small, "/restarted")


def test_down_leaves_no_process(small: MiniHadoop) -> None:
    work = small.layout.data / "nodemanager0/local/usercache/me"
    work.mkdir(parents=True, exist_ok=True)
    # what a killed NodeManager leaves behind
    orphan = subprocess.Popen(["sleep", "1000"], cwd=work, start_new_session=True)
    small.pause("resourcemanager")
    small.stop("datanode", kill=True)
    assert len(leftovers(small)) == 4  # three daemons and the orphan
    ports = small.state().ports
    assert run(small, "down").returncode == 0
    assert leftovers(small) == []
    assert orphan.wait() == -signal.SIGKILL
    assert not small.down()
    assert small.up()
    assert small.state().ports == ports
    assert WebHdfs(small.namenode_web).list("/") is not None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_start_leaves_no_process(own: MiniHadoop, number: signal.Signals) -> None:
    up = subprocess.Popen([*TOOL, "up", "--dir", str(own.layout.root)], stderr=subprocess.PIPE, text=True)
    # INT while it formats, TERM when all daemons boot
    wait_for(lambda: len(started(own)) >= (1 if number is signal.SIGINT else 4))
    up.send_signal(number)
    _, said = up.communicate(timeout=240)
    assert up.returncode == 128 + number
    assert "interrupted" in said
    assert leftovers(own) == []


def test_a_half_started_cluster_is_ended(own: MiniHadoop) -> None:
    up = subprocess.Popen([*TOOL, "up", "--dir", str(own.layout.root)], stderr=subprocess.DEVNULL)
    wait_for(lambda: len(started(own)) >= 2)
    up.kill()
    up.wait()
    assert leftovers(own)
    assert own.down()
    assert leftovers(own) == []


def test_a_cluster_ends_with_the_process_that_holds_it(own: MiniHadoop) -> None:
    program = "import sys; from minihadoop import MiniHadoop\nwith MiniHadoop(sys.argv[1]): pass"
    env = os.environ | {"PYTHONPATH": str(Path(TOOL[1]).parent)}
    holder = subprocess.Popen([sys.executable, "-c", program, str(own.layout.root)], env=env)
    wait_for(lambda: len(started(own)) >= 2)
    holder.kill()
    holder.wait()
    wait_for(lambda: leftovers(own) == [])


def test_a_daemon_that_dies_shows_its_last_lines(own: MiniHadoop) -> None:
    current = own.layout.name_dir / "current"
    current.mkdir(parents=True)
    (current / "VERSION").write_text("nonsense")
    with pytest.raises(
        MiniHadoopError, match=r"(?s)the namenode ended: see .*namenode\.log, which ends with\n.*"
    ):
        own.up()
    assert leftovers(own) == []


@pytest.mark.large
@pytest.mark.parametrize("version", [each for each in jars.JACKSON if each != jars.DEFAULT_VERSION])
def test_other_versions(tmp_path: Path, version: str) -> None:
    with MiniHadoop(tmp_path, version, nodes=2) as one:
        assert one.troubles() == {}
        assert len(health.live_nodes(one.state())) == 2
        round_trip(one, "/other")
        said = subprocess.run(
            ["hadoop", "version"], env=one.env(), check=True, stdout=subprocess.PIPE, text=True, timeout=240
        )
        assert f"Hadoop {version}" in said.stdout
    assert leftovers(one) == []
