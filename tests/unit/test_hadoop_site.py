"""What a Hadoop configuration says, and how YARN's web service is understood."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, TCPServer

import pytest

from xlearning.cluster import gssapi, resource_manager
from xlearning.cluster.hadoop_site import HadoopSite, ResourceManager
from xlearning.cluster.node_logs import NodeLogs
from xlearning.cluster.resource_manager import Refused, ResourceManagerWeb, check_reachable, to_report
from xlearning.errors import ApplicationNotFound, ClusterUnavailable, ConfigError
from xlearning.job import AppState

APP = "application_1700000000000_0001"


def site(folder: Path, fs: str = "hdfs://nn:8020", **yarn: str) -> HadoopSite:
    def write(name: str, values: dict[str, str]) -> None:
        rows = "".join(
            f"<property><name>{key}</name><value>{value}</value></property>" for key, value in values.items()
        )
        (folder / name).write_text(f"<configuration>{rows}</configuration>")

    write("core-site.xml", {"fs.defaultFS": fs} if fs else {})
    write("yarn-site.xml", {f"yarn.{key.replace('__', '-').replace('_', '.')}": v for key, v in yarn.items()})
    return HadoopSite.from_environ({"HADOOP_CONF_DIR": str(folder)})


def test_one_resource_manager(tmp_path: Path) -> None:
    found = site(tmp_path, resourcemanager_hostname="rm", resourcemanager_webapp_address="${env.X-rm}:80")
    assert found.default_fs == "hdfs://nn:8020"
    assert found.resource_managers == (ResourceManager("rm:8032", "http://rm:80"),)
    assert not found.secure


def test_two_resource_managers_with_tls(tmp_path: Path) -> None:
    found = site(
        tmp_path,
        resourcemanager_ha_enabled="true",
        resourcemanager_ha_rm__ids="a, b",
        resourcemanager_hostname_a="one",
        resourcemanager_hostname_b="two",
        http_policy="HTTPS_ONLY",
    )
    assert found.resource_managers == (
        ResourceManager("one:8032", "https://one:8090"),
        ResourceManager("two:8032", "https://two:8090"),
    )


@pytest.mark.parametrize("fs", ["", "file:///", "viewfs:///"])
def test_a_default_file_system_that_yarn_jobs_cannot_use(tmp_path: Path, fs: str) -> None:
    with pytest.raises(ConfigError, match=r"fs\.defaultFS"):
        site(tmp_path, fs)


def test_no_configuration_at_all(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="HADOOP_CONF_DIR is not set"):
        HadoopSite.from_environ({})
    with pytest.raises(ConfigError, match=r"no core-site\.xml"):
        HadoopSite.from_environ({"HADOOP_CONF_DIR": str(tmp_path)})


@pytest.mark.parametrize(
    ("state", "final", "expected"),
    [
        ("ACCEPTED", "UNDEFINED", AppState.SUBMITTED),
        ("RUNNING", "UNDEFINED", AppState.RUNNING),
        ("FINISHING", "SUCCEEDED", AppState.SUCCEEDED),
        ("FINISHED", "FAILED", AppState.FAILED),
        ("FINISHED", "KILLED", AppState.KILLED),
        ("KILLED", "KILLED", AppState.KILLED),
        ("FAILED", "FAILED", AppState.FAILED),
    ],
)
def test_states(state: str, final: str, expected: AppState) -> None:
    assert to_report({"id": APP, "state": state, "finalStatus": final}).state is expected


def test_attempt_and_times() -> None:
    logs = "http://h:1/node/containerlogs/container_e17_1700000000000_0001_02_000001/u"
    report = to_report({"id": APP, "amContainerLogs": logs, "startedTime": 1500, "finishedTime": 0})
    assert (report.attempt, report.submitted, report.finished) == (2, 1.5, None)


@pytest.fixture
def web() -> Iterator[str]:
    """A ResourceManager's web service that knows one application."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.path.endswith(APP)
            body = json.dumps({"app": {"id": APP, "state": "RUNNING"}} if known else {}).encode()
            self.send_response(200 if known else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_living_resource_manager_is_found(tmp_path: Path, web: str) -> None:
    found = site(
        tmp_path,
        resourcemanager_ha_enabled="true",
        resourcemanager_ha_rm__ids="a,b",
        resourcemanager_webapp_address_a="127.0.0.1:1",
        resourcemanager_webapp_address_b=web,
        resourcemanager_address_a="127.0.0.1:1",
        resourcemanager_address_b=web,
    )
    check_reachable(found)
    asked = ResourceManagerWeb(found)
    assert asked.report(APP).state is AppState.RUNNING
    with pytest.raises(ApplicationNotFound, match="application_1_1"):
        asked.report("application_1_1")


class Guarded(BaseHTTPRequestHandler):
    """A web service that wants SPNEGO, or something else where ``offer`` says so."""

    offer = "Negotiate"

    def do_GET(self) -> None:
        welcome = self.headers.get("Authorization") == "Negotiate good"
        body = json.dumps({"app": {"id": APP, "state": "RUNNING"}}).encode() if welcome else b"<html>"
        self.send_response(200 if welcome else 401)
        if not welcome:
            self.send_header("WWW-Authenticate", self.offer)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@pytest.fixture
def guarded() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Guarded) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_login_is_given_where_it_is_asked_for(
    tmp_path: Path, guarded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ResourceManagerWeb(site(tmp_path, resourcemanager_webapp_address=guarded))
    monkeypatch.setattr(gssapi, "negotiate", {"127.0.0.1": "Negotiate good"}.__getitem__)
    assert asked.report(APP).state is AppState.RUNNING
    assert asked.asks_who()
    monkeypatch.setattr(gssapi, "negotiate", lambda _host: "Negotiate bad")
    with pytest.raises(Refused, match="wants a login"):
        asked.report(APP)
    monkeypatch.setattr(Guarded, "offer", "Basic")
    with pytest.raises(Refused, match="other than Kerberos"):
        asked.report(APP)


def test_without_a_ticket_the_web_service_is_refused(
    tmp_path: Path, guarded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def negotiate(_host: str) -> str:
        raise gssapi.GssError("no ticket")

    monkeypatch.setattr(gssapi, "negotiate", negotiate)
    with pytest.raises(Refused, match="no ticket"):
        ResourceManagerWeb(site(tmp_path, resourcemanager_webapp_address=guarded)).report(APP)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", b"nonsense\r\n\r\n"])
def test_an_answer_that_is_cut_off_is_none(tmp_path: Path, answer: bytes) -> None:
    class Dying(StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                continue
            self.wfile.write(answer)

    with TCPServer(("127.0.0.1", 0), Dying) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        address = f"127.0.0.1:{server.server_address[1]}"
        try:
            with pytest.raises(ClusterUnavailable, match=address):
                ResourceManagerWeb(site(tmp_path, resourcemanager_webapp_address=address)).report(APP)
            with pytest.raises(ClusterUnavailable, match=address):
                NodeLogs(f"http://{address}").sizes("container_1")
        finally:
            server.shutdown()
            thread.join()


def test_nobody_answers(tmp_path: Path) -> None:
    address = "127.0.0.1:1"
    found = site(tmp_path, resourcemanager_webapp_address=address, resourcemanager_address=address)
    with pytest.raises(ClusterUnavailable, match=address):
        check_reachable(found)
    with pytest.raises(ClusterUnavailable, match=address):
        ResourceManagerWeb(found).report(APP)


def test_a_resource_manager_that_accepts_and_never_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource_manager, "_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        found = site(tmp_path, resourcemanager_address=address)
        with pytest.raises(ClusterUnavailable, match="does not answer within"):
            check_reachable(found)
