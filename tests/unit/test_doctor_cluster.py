"""What doctor says about clusters in bad shape: folders, clocks, the ResourceManager, packages."""

from __future__ import annotations

import getpass
import json
import socket
import tarfile
import threading
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

import xlearning
from xlearning.client.doctor import checklist, shipped
from xlearning.client.doctor.checklist import Given
from xlearning.client.doctor.examine import examine
from xlearning.client.doctor.gateway import Found
from xlearning.client.doctor.hadoop import Cluster
from xlearning.client.doctor.hdfs import HISTORY, STAGING, Hdfs
from xlearning.client.doctor.model import Mark, Result, healthy
from xlearning.client.doctor.trip import round_trip
from xlearning.client.doctor.yarn import Yarn
from xlearning.client.packaging.package import MANIFEST
from xlearning.cluster import resource_manager
from xlearning.config import Config
from xlearning.errors import ClusterUnavailable, ConfigError
from xlearning.fs import FileSystems

INFO = {"state": "STARTED", "haState": "ACTIVE", "hadoopVersion": "3.4.1"}
NODES = {"activeNodes": 2, "lostNodes": 0, "unhealthyNodes": 0}
NODE = {"usedMemoryMB": 1024, "availMemoryMB": 7168, "usedVirtualCores": 1, "availableVirtualCores": 3}


def write_site(folder: Path, **values: str) -> dict[str, str]:
    rows = "".join(
        f"<property><name>{name.replace('_', '.')}</name><value>{value}</value></property>"
        for name, value in {"fs.defaultFS": "hdfs://nn:8020", **values}.items()
    )
    (folder / "core-site.xml").write_text(f"<configuration>{rows}</configuration>")
    return {"HADOOP_CONF_DIR": str(folder)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def hdfs(tmp_path: Path, root: Path, **more: str) -> Hdfs:
    """The local file system stands for HDFS: what is checked is what is made of its answers."""
    given = {STAGING: f"{root.as_uri()}/staging", HISTORY: f"{root.as_uri()}/history", **more}
    cluster = Cluster(write_site(tmp_path), Config.from_properties(given), getpass.getuser())
    return Hdfs(cluster, FileSystems("file://"))


def test_a_file_goes_there_and_back(root: Path) -> None:
    fs = FileSystems("file://").default
    times = iter((5000.0, 5002.0))
    trip = round_trip(fs, root.as_uri(), clock=lambda: next(times))
    assert trip.seconds > 0
    assert trip.skew < -1e9  # files are dated now, long after
    assert abs(round_trip(fs, root.as_uri()).skew) < 1
    assert list(root.iterdir()) == []


def test_folders_that_are_not_there_yet(tmp_path: Path, root: Path) -> None:
    checks = hdfs(tmp_path, root)
    for found in (checks.staging(), checks.history()):
        assert (found.mark, found.text.endswith("made by the first job")) == (Mark.OK, True)
    trip = checks.trip()
    assert (trip.mark, str(root) in trip.text) == (Mark.OK, True)
    assert checks.clock().mark is Mark.OK
    assert list(root.iterdir()) == []


@pytest.mark.parametrize(
    ("mode", "mark", "words"),
    [
        (0o1777, Mark.OK, "mode 1777"),
        (0o755, Mark.WARNING, "others cannot use it"),
        (0o777, Mark.WARNING, "everybody may delete"),
    ],
)
def test_modes_of_shared_folders(tmp_path: Path, root: Path, mode: int, mark: Mark, words: str) -> None:
    checks = hdfs(tmp_path, root)
    for name in ("staging", "history"):
        (root / name).mkdir()
        (root / name).chmod(mode)
    for found in (checks.staging(), checks.history()):
        assert (found.mark, words in found.text) == (mark, True)
        assert mark is Mark.OK or "hdfs dfs -chmod 1777" in found.fix


def test_a_file_in_the_place_of_a_folder(tmp_path: Path, root: Path) -> None:
    (root / "staging").write_text("")
    found = hdfs(tmp_path, root).staging()
    assert (found.mark, STAGING in found.fix) == (Mark.PROBLEM, True)
    (root / "history").write_text("")
    assert hdfs(tmp_path, root).history().mark is not Mark.OK


def test_a_history_that_cannot_be_written_is_only_a_warning(tmp_path: Path, root: Path) -> None:
    found = hdfs(tmp_path, root, **{HISTORY: "file:///proc/self"}).history()
    assert (found.mark, "records of jobs are lost" in found.text) == (Mark.WARNING, True)


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    environ = write_site(tmp_path, **{"yarn.resourcemanager.address": address})
    with pytest.raises(ClusterUnavailable, match=f"no ResourceManager can be reached at {address}"):
        Yarn(Cluster(environ, Config.from_properties({}), "me")).answers()


def test_a_cluster_that_never_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is told all the same, and what depends on it is not tried."""
    monkeypatch.setattr(resource_manager, "_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0), backlog=9) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        names = ("yarn.resourcemanager.address", "yarn.resourcemanager.webapp.address")
        environ = write_site(
            tmp_path, **{"fs.defaultFS": f"hdfs://{address}"}, **dict.fromkeys(names, address)
        )
        config = Config.from_properties({"xlearning.fs.timeout": "200ms"})
        given = Given({**environ, "PATH": str(tmp_path)}, "me", config, Found(), {})
        found = {result.id: result.finding for result in examine(checklist.everything(given))}
    assert len(found) == len(checklist.everything(given))
    assert f"HDFS at {address} did not answer" in found["hdfs"].text
    assert "does not answer within" in found["resource-manager"].text
    wanting = {name for name, finding in found.items() if finding.mark is Mark.UNCHECKED}
    assert wanting == {
        *("home", "staging", "round-trip", "hdfs-clock", "history", "package"),
        *("yarn-version", "yarn-clock", "nodes", "queue"),
    }


class ResourceManager(BaseHTTPRequestHandler):
    answers: ClassVar[dict[str, Any]] = {}
    date = ""

    def do_GET(self) -> None:
        self._head(body := json.dumps(self.answers.get(self.path.partition("?")[0], {})).encode())
        self.wfile.write(body)

    def do_HEAD(self) -> None:
        self._head(b"")

    def _head(self, body: bytes) -> None:
        self.send_response_only(200)
        if self.date:
            self.send_header("Date", self.date)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def yarn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Yarn]:
    monkeypatch.setattr(ResourceManager, "answers", {})
    with HTTPServer(("127.0.0.1", 0), ResourceManager) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        address = f"127.0.0.1:{server.server_port}"
        environ = write_site(tmp_path, **{"yarn.resourcemanager.webapp.address": address})
        yield Yarn(Cluster(environ, Config.from_properties({}), "me"))
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("change", "mark"),
    [
        ({}, Mark.OK),
        ({"hadoopVersion": "2.10.2"}, Mark.WARNING),
        ({"hadoopVersion": "3.40.1"}, Mark.WARNING),
        ({"haState": "STANDBY"}, Mark.PROBLEM),
        ({"state": "INITED"}, Mark.PROBLEM),
    ],
)
def test_the_resource_manager(yarn: Yarn, change: dict[str, str], mark: Mark) -> None:
    ResourceManager.answers["/ws/v1/cluster/info"] = {"clusterInfo": {**INFO, **change}}
    assert yarn.version().mark is mark


@pytest.mark.parametrize(
    ("change", "mark", "words"),
    [
        ({}, Mark.OK, "2 active, the largest container has 8.0 GiB, 4 cores"),
        ({"lostNodes": 1}, Mark.WARNING, "1 lost, 0 unhealthy"),
        ({"activeNodes": 0}, Mark.PROBLEM, "0 active"),
    ],
)
def test_nodes(yarn: Yarn, change: dict[str, int], mark: Mark, words: str) -> None:
    ResourceManager.answers["/ws/v1/cluster/metrics"] = {"clusterMetrics": {**NODES, **change}}
    ResourceManager.answers["/ws/v1/cluster/nodes"] = {"nodes": {"node": [NODE]}}
    found = yarn.nodes()
    assert (found.mark, words in found.text) == (mark, True), found


@pytest.mark.parametrize(
    ("state", "name", "mark", "words"),
    [
        ("RUNNING", "default", Mark.OK, "root.default, RUNNING"),
        ("STOPPED", "default", Mark.PROBLEM, "root.default is STOPPED"),
        ("RUNNING", "science", Mark.WARNING, "there is no queue default"),
    ],
)
def test_the_queue(yarn: Yarn, state: str, name: str, mark: Mark, words: str) -> None:
    leaf = {"queueName": name, "state": state, "queuePath": f"root.{name}"}
    root = {"type": "capacityScheduler", "queueName": "root", "queues": {"queue": [leaf]}}
    ResourceManager.answers["/ws/v1/cluster/scheduler"] = {"scheduler": {"schedulerInfo": root}}
    found = yarn.queue()
    assert (found.mark, words in found.text) == (mark, True), found


def test_a_scheduler_without_queues(yarn: Yarn) -> None:
    assert yarn.queue().mark is Mark.OK


@pytest.mark.parametrize(
    ("date", "mark"),
    [(formatdate(0, usegmt=True), Mark.WARNING), ("", Mark.OK), (None, Mark.OK)],
)
def test_the_clock_of_yarn(yarn: Yarn, date: str | None, mark: Mark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ResourceManager, "date", formatdate(usegmt=True) if date is None else date)
    assert yarn.clock().mark is mark


def archive(root: Path, version: str) -> str:
    path = root / "xlearning.tar.gz"
    (root / MANIFEST).write_text(json.dumps({"xlearning": version, "abi": "cp311"}))
    with tarfile.open(path, "w:gz") as tar:
        tar.add(root / MANIFEST, arcname=f"./{MANIFEST}")
    return path.as_uri()


def test_what_an_archive_says(root: Path) -> None:
    fs = FileSystems("file://").default
    assert shipped.manifest(fs, archive(root, "9"))["xlearning"] == "9"
    (root / "text.tar.gz").write_text("no archive")
    with pytest.raises(OSError, match="no archive of ours"):
        shipped.manifest(fs, (root / "text.tar.gz").as_uri())


def test_an_archive_of_the_administrator(tmp_path: Path, root: Path) -> None:
    given = {"xlearning.yarn.archive": f"{root.as_uri()}/none.tar.gz"}
    checks = hdfs(tmp_path, root)
    cluster = Cluster(write_site(tmp_path), Config.from_properties(given), "me")
    with pytest.raises(ConfigError, match="there is no"):
        shipped.package(cluster, checks)
    uri = archive(root, "0.0.1")
    old = shipped.of_administrator(checks, uri, 1)
    assert (old.mark, f"is of XLearning 0.0.1, not {xlearning.__version__}" in old.text) == (
        Mark.PROBLEM,
        True,
    )
    archive(root, xlearning.__version__)
    root.chmod(0o700)
    assert "not readable for everybody" in shipped.of_administrator(checks, uri, 1).text


def test_an_own_package_is_uploaded_by_the_first_job(tmp_path: Path, root: Path) -> None:
    checks = hdfs(tmp_path, root)
    cluster = Cluster(write_site(tmp_path), Config.from_properties({STAGING: root.as_uri()}), "me")
    assert "your next job uploads it" in shipped.package(cluster, checks).text


def test_the_python_of_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*, in_cluster: bool = False, **given: str) -> Any:
        config = Config.from_properties({name.replace("_", "."): value for name, value in given.items()})
        cluster = Cluster(write_site(tmp_path), config, "me")
        return shipped.python_of_nodes(cluster, in_cluster=in_cluster)

    named = "/usr/bin/python3.12, as xlearning.python says"
    assert found(xlearning_python="/usr/bin/python3.12").text == f"{named}: not checked without --in-cluster"
    assert found(xlearning_python="/usr/bin/python3.12", in_cluster=True).text.endswith("the job below tells")
    monkeypatch.setenv("HOME", "/nowhere/else")
    assert (found().mark, "the nodes must have too" in found().text) == (Mark.UNKNOWN, True)
    assert healthy([Result("nodes-python", "YARN", "Python of nodes", found(), 0.0)]), "it is no fault"
    monkeypatch.setenv("HOME", "/")
    assert found().mark is Mark.WARNING
