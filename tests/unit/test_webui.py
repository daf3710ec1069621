"""Routes, headers and escaping of the page and its API; then the server around them."""

import dataclasses
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import webui_samples as samples
from flask import Flask
from flask.testing import FlaskClient

from xlearning.errors import StorageError
from xlearning.job import (
    AppState,
    BoardView,
    ContainerView,
    InputView,
    OutputSpec,
    RoleSpec,
    Snapshot,
    from_dict,
)
from xlearning.webui.app import create_app
from xlearning.webui.assets import FOLDER
from xlearning.webui.server import PageServer

BASE = "/s3cret"
NONCE = "n0nce"
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}"
WORKER0 = samples.container_id(3)


@pytest.fixture(scope="module")
def shared() -> tuple[samples.SampleSource, Flask]:
    """One application for all tests, as its templates take a while to compile."""
    source = samples.SampleSource()
    return source, create_app(source, prefix=BASE[1:], nonce=NONCE)


@pytest.fixture
def source(shared: tuple[samples.SampleSource, Flask]) -> samples.SampleSource:
    shared[0].reset()
    return shared[0]


@pytest.fixture
def app(shared: tuple[samples.SampleSource, Flask]) -> Flask:
    return shared[1]


@pytest.fixture
def client(app: Flask, source: samples.SampleSource) -> FlaskClient:  # noqa: ARG001 - a fresh source
    return app.test_client(use_cookies=False)


class Page(HTMLParser):
    """Tags, attributes and visible text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def links(self) -> list[str]:
        return [v for _, attrs in self.tags for k, v in attrs.items() if k in ("href", "src") and v]


def hostile_job() -> Snapshot:
    worker = samples.container(
        3, host=HOSTILE, reason=HOSTILE, log_url="javascript:alert(3)", last_lines=(HOSTILE,), role=HOSTILE
    )
    return samples.job(
        app_name=HOSTILE,
        user=HOSTILE,
        phase=HOSTILE,
        reason=HOSTILE,
        command=("python", HOSTILE),
        roles=(RoleSpec(HOSTILE, 1, 1, 1),),
        containers=(worker, dataclasses.replace(worker, id=HOSTILE, state=type(worker.state).FAILED)),
        inputs=(InputView(HOSTILE, (HOSTILE,), 1, 1),),
        outputs=(OutputSpec(HOSTILE, HOSTILE),),
        board=BoardView(True, "javascript:alert(4)", HOSTILE, HOSTILE),
    )


# pages


def test_job_page_holds_everything_without_scripts(client: FlaskClient) -> None:
    page = Page(client.get(f"{BASE}/").text)
    for text in (
        f"Tensorflow Application {samples.APP}",
        "RUNNING",
        "alice",
        "mnist-ps",
        "python train.py",
        "All Containers",
        WORKER0,
        "worker:0",
        "chief",
        "node03.example.org",
        "412 MiB of 1.0 GiB",
        "93 %",
        "25 %",
        "Inputs",
        "hdfs://nn:9000/data/mnist/part-*",
        "9.0 MiB",
        "Outputs",
        "hdfs://nn:9000/user/alice/model",
        "View TensorBoard",
        "Resource Applied Info",
        "2 RUNNING",
        "2024-11-29 17:06:52 UTC",
    ):
        assert text in page.text, text
    assert "http://node03.example.org:6006/" in page.links()
    assert f"logs?c={WORKER0}&f=stdout" in page.links()
    assert any(tag == "time" and a.get("datetime") == "2024-11-29T17:06:52Z" for tag, a in page.tags)


def test_failed_job_pins_the_failing_container(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(samples.failed_job())
    html = client.get(f"{BASE}/").text
    assert html.index("ValueError: cannot reshape") < html.index("All Containers")
    assert "exit code 3" in html
    assert 'http-equiv="refresh"' not in html


def test_empty_job_says_what_it_waits_for(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(samples.job(containers=(), inputs=(), outputs=(), board=BoardView(False)))
    page = Page(client.get(f"{BASE}/").text)
    for text in ("waiting for containers: 0 of 3", "No container yet", "no inputs", "no outputs", "is off"):
        assert text in page.text


@pytest.mark.parametrize("path", ["/", f"/logs?c={WORKER0}", "/logs?c=nobody", "/logs"])
def test_addresses_are_relative_and_nothing_comes_from_outside(
    client: FlaskClient, source: samples.SampleSource, path: str
) -> None:
    source.write(3, "stdout", b"hello\n")
    html = client.get(BASE + path).text
    assert 'href="/' not in html and 'src="/' not in html
    for tag, attrs in Page(html).tags:
        if tag in ("script", "link", "img", "iframe"):
            assert not re.match(r"(https?:)?//", attrs.get("src") or attrs.get("href") or "")
        assert not any(name.startswith("on") or name == "style" for name in attrs)


def test_own_files_are_relative_too() -> None:
    for file in FOLDER.rglob("*.*"):
        text = file.read_text()
        outside = re.findall(r"https?://[^\s\"'`]+", text)
        assert set(outside) <= {"http://www.w3.org/2000/svg"}, file
        assert not re.search(r"fetch\(\s*[`\"']/|url\(|innerHTML|eval\(", text), file


def test_hostile_text_is_escaped_everywhere(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(hostile_job())
    source.logs[WORKER0, HOSTILE] = f"\n</pre>{HOSTILE}".encode()
    pages = [
        client.get(f"{BASE}/", headers={"Cookie": "proxy-user=<img>"}).text,
        client.get(f"{BASE}/logs", query_string={"c": WORKER0, "f": HOSTILE}).text,
        client.get(f"{BASE}/logs", query_string={"c": HOSTILE}).text,
        client.get(f"{BASE}/logs", query_string={"c": "</title>" + HOSTILE}).text,
    ]
    for html in pages:
        page = Page(html)
        assert not any(tag == "img" or "onerror" in attrs for tag, attrs in page.tags)
        assert not any(link.startswith("javascript:") for link in page.links())
        scripts = [attrs for tag, attrs in page.tags if tag == "script"]
        assert all("nonce" in attrs or "src" in attrs for attrs in scripts)
        assert "{{7*7}}" in page.text and "49" not in page.text
    assert "onerror=alert(2)" in Page(pages[0]).text


def test_page_answers_with_and_without_its_last_slash(client: FlaskClient) -> None:
    for path in (BASE, f"{BASE}/"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.text.index("<base") < answer.text.index("<link")


def test_log_page_shows_the_end_of_the_file(client: FlaskClient, source: samples.SampleSource) -> None:
    source.write(3, "stderr", b"careful\n")
    source.write(3, "stdout", b"first\n" + b"x" * 70_000 + b"\n\x1b[31mlast\x1b[0m\n")
    page = Page(client.get(f"{BASE}/logs?c={WORKER0}").text)
    assert "\nlast\n" in page.text and "first" not in page.text
    assert f"logs?c={WORKER0}&f=stderr" in page.links()
    viewer = next(a for tag, a in page.tags if a.get("id") == "viewer")
    assert int(viewer["data-next"] or 0) == len(source.logs[WORKER0, "stdout"])


def test_log_page_without_files_explains_itself(client: FlaskClient, source: samples.SampleSource) -> None:
    assert "Waiting for stdout" in client.get(f"{BASE}/logs?c={WORKER0}").text
    source.set(
        samples.job(
            containers=(
                samples.container(3, state=samples.ContainerState.LOST, log_url="http://nm:8042/log"),
            )
        )
    )
    page = Page(client.get(f"{BASE}/logs?c={WORKER0}").text)
    assert "cannot be read from here" in page.text and "http://nm:8042/log" in page.links()


def test_unknown_containers_and_files_are_not_found(
    client: FlaskClient, source: samples.SampleSource
) -> None:
    assert client.get(f"{BASE}/logs?c=nobody").status_code == 404
    source.set(samples.failed_job())
    source.write(3, "stdout", b"x")
    assert client.get(f"{BASE}/logs?c={WORKER0}&f=../../etc/passwd").status_code == 404


@pytest.mark.parametrize(
    ("cookie", "viewer", "words"),
    [
        (None, "local user", "Only this machine"),
        ("dr.who", "dr.who", "does not ask who you are"),
        ("alice", "alice", "YARN's web proxy"),
    ],
)
def test_page_says_who_the_viewer_is(
    client: FlaskClient, cookie: str | None, viewer: str, words: str
) -> None:
    headers = {"Cookie": f"proxy-user={cookie}"} if cookie else {}
    page = Page(client.get(f"{BASE}/", headers=headers).text)
    assert f"You are {viewer}." in page.text and words in page.text


# headers


@pytest.mark.parametrize(
    "path", [f"{BASE}/", f"{BASE}/api/v1/job", f"{BASE}/healthz", f"{BASE}/nothing", "/"]
)
def test_every_answer_is_guarded_and_not_kept(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.data


def test_the_inline_script_runs_by_a_nonce_that_no_other_answer_has(client: FlaskClient) -> None:
    seen = set()
    for _ in range(2):
        answer = client.get(f"{BASE}/")
        match = re.search(r'<script nonce="([^"]+)">', answer.text)
        assert match and f"'nonce-{match[1]}'" in answer.headers["Content-Security-Policy"]
        seen.add(match[1])
    assert len(seen) == 2 and NONCE not in seen


def test_own_files_may_be_kept_for_ever(client: FlaskClient) -> None:
    html = client.get(f"{BASE}/").text
    for link in re.findall(r'(?:src|href)="(static/[^"]+)"', html):
        answer = client.get(f"{BASE}/{link}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"] and answer.headers["Pragma"] == "cache"
        again = client.get(f"{BASE}/{link}", headers={"If-None-Match": "*", "Range": "bytes=0-1"})
        assert again.status_code == 200 and again.data == answer.data
    script = client.get(f"{BASE}/" + next(iter(re.findall(r"static/[^\"]+job\.js", html))))
    assert script.mimetype == "text/javascript"
    assert client.get(f"{BASE}/static/0000000000000000/js/job.js").status_code == 404


# API


def test_job_holds_the_snapshot_and_the_server_time(
    client: FlaskClient, source: samples.SampleSource
) -> None:
    answer = client.get(f"{BASE}/api/v1/job")
    assert answer.mimetype == "application/json"
    data = answer.json
    assert from_dict(Snapshot, data) == source.snapshot()
    assert abs(data["server_time"] - time.time()) < 60
    assert data["summary"]["title"].startswith("Tensorflow")


def test_job_is_short_when_nothing_is_newer(client: FlaskClient, source: samples.SampleSource) -> None:
    version = client.get(f"{BASE}/api/v1/job").json["version"]
    short = client.get(f"{BASE}/api/v1/job?since={version}").json
    assert short["unchanged"] is True and short["version"] == version and short["attempt"] == 1
    source.change(lambda s: dataclasses.replace(s, phase="committing"))
    assert client.get(f"{BASE}/api/v1/job?since={version}").json["phase"] == "committing"


def test_a_later_version_than_the_newest_stems_from_another_attempt(client: FlaskClient) -> None:
    assert "containers" in client.get(f"{BASE}/api/v1/job?since=999").json


@pytest.mark.parametrize("since", ["", "-1", "x", "1.5", "²", "9" * 30])
def test_bad_numbers_are_refused_in_words(client: FlaskClient, since: str) -> None:
    answer = client.get(f"{BASE}/api/v1/job", query_string={"since": since})
    assert answer.status_code == 400 and "since" in answer.json["error"]


def test_json_is_ascii(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(samples.job(app_name="训练 é"))
    source.write(3, "stdout", "é 中\n".encode())
    for path in ("job", f"logs?c={WORKER0}&f=stdout", "containers/中"):
        assert client.get(f"{BASE}/api/v1/{path}").data.isascii()
    assert client.get(f"{BASE}/api/v1/job").json["app_name"] == "训练 é"


def test_containers(client: FlaskClient, source: samples.SampleSource) -> None:
    rows = client.get(f"{BASE}/api/v1/containers").json["containers"]
    assert [row["role"] for row in rows] == ["worker", "worker", "ps"]
    one = client.get(f"{BASE}/api/v1/containers/{WORKER0}").json
    assert from_dict(ContainerView, one) in source.snapshot().containers
    missing = client.get(f"{BASE}/api/v1/containers/nobody")
    assert missing.status_code == 404 and "nobody" in missing.json["error"]


def test_logs_are_read_by_cursor(client: FlaskClient, source: samples.SampleSource) -> None:
    source.write(3, "stdout", b"0123456789")
    address = f"{BASE}/api/v1/logs?c={WORKER0}"
    assert client.get(address).json["files"] == {"stdout": 10}
    first = client.get(f"{address}&f=stdout&limit=4").json
    assert (first["text"], first["next_offset"], first["size"]) == ("0123", 4, 10)
    rest = client.get(f"{address}&f=stdout&offset={first['next_offset']}").json
    assert rest["text"] == "456789" and rest["final"] is False
    assert client.get(f"{address}&f=stdout&offset=10").json["text"] == ""


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("c=nobody&f=stdout", 404),
        (f"c={WORKER0}&f=stdout", 404),
        (f"c={WORKER0}&f=..%2Fjob.json", 404),
        (f"c={WORKER0}&f=stdout&limit=1048577", 400),
        (f"c={WORKER0}&f=stdout&limit=0", 400),
        (f"c={WORKER0}&f=stdout&offset=-1", 400),
    ],
)
def test_bad_log_requests_are_refused_in_words(client: FlaskClient, query: str, status: int) -> None:
    answer = client.get(f"{BASE}/api/v1/logs?{query}")
    assert answer.status_code == status and answer.json["error"]


def test_kill_needs_the_nonce(client: FlaskClient, source: samples.SampleSource) -> None:
    for query in ("", "?nonce=", "?nonce=wrong", "?nonce=%C3%A9"):
        answer = client.put(f"{BASE}/api/v1/kill{query}")
        assert answer.status_code == 403 and "nonce" in answer.json["error"]
    assert source.kills == []
    page = client.get(f"{BASE}/").text
    nonce = re.search(r'data-nonce="([^"]+)"', page)
    assert nonce
    headers = {"Cookie": "proxy-user=bob"}
    answer = client.put(f"{BASE}/api/v1/kill?nonce={nonce[1]}", headers=headers)
    assert answer.json == {"ok": True, "message": "The job is being stopped."}
    client.put(f"{BASE}/api/v1/kill?nonce={NONCE}")
    assert source.kills == ["bob", "local user"]


def test_kill_may_be_refused(client: FlaskClient, source: samples.SampleSource) -> None:
    source.kill_answer = (False, "The output is being committed.")
    answer = client.put(f"{BASE}/api/v1/kill?nonce={NONCE}")
    assert answer.status_code == 409
    assert answer.json["ok"] is False and "committed" in answer.json["message"]


@pytest.mark.parametrize("method", ["POST", "DELETE", "PATCH", "OPTIONS", "GET"])
def test_other_methods_are_refused(client: FlaskClient, source: samples.SampleSource, method: str) -> None:
    answer = client.open(f"{BASE}/api/v1/kill?nonce={NONCE}", method=method)
    assert answer.status_code == 405 and answer.json["error"] and not source.kills


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/job", "/favicon.ico", "/s3cre/", "/s3cretx/", "//s3cret/", f"{BASE}//api/v1/job"]
)
def test_everything_outside_the_prefix_is_missing(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404 and answer.json["error"]


def test_faults_of_the_source_become_json(
    app: Flask, source: samples.SampleSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: Any) -> Any:
        raise StorageError("the log cannot be read", hint="try again")

    def broken(*_: Any) -> Any:
        raise RuntimeError("secret detail")

    client = app.test_client(use_cookies=False)
    monkeypatch.setattr(source, "log_files", unavailable)
    answer = client.get(f"{BASE}/api/v1/logs?c={WORKER0}")
    assert answer.status_code == 503 and "the log cannot be read" in answer.json["error"]
    monkeypatch.setattr(source, "log_files", broken)
    answer = client.get(f"{BASE}/api/v1/logs?c={WORKER0}")
    assert answer.status_code == 500 and "secret" not in answer.text


def test_prefix_and_nonce_must_suit_an_address(source: samples.SampleSource) -> None:
    for prefix, nonce in (("", "n"), ("a/b", "n"), ("a", "{}"), ("a", ""), ("é", "n")):
        with pytest.raises(ValueError, match="letters and digits"):
            create_app(source, prefix=prefix, nonce=nonce)


def test_description_names_every_route_and_field(app: Flask, client: FlaskClient) -> None:
    spec = client.get(f"{BASE}/api/v1/openapi.json").json
    described = {
        (path, method.upper())
        for path, item in spec["paths"].items()
        for method in item
        if method != "servers"
    }
    routes = set()
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?container_id>", "{id}", rule.rule.removeprefix(BASE)).removeprefix(
            "/api/v1"
        )
        if rule.endpoint.startswith("api."):
            routes |= {(path, method) for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}}
    assert described == routes
    schemas = spec["components"]["schemas"]
    job = client.get(f"{BASE}/api/v1/job").json
    assert set(schemas["Job"]["properties"]) == set(job)
    assert set(schemas["Job"]["properties"]["summary"]["properties"]) == set(job["summary"])
    assert set(schemas["Job"]["properties"]["state"]["enum"]) == {state.value for state in AppState}
    assert set(schemas["Container"]["properties"]) == {f.name for f in dataclasses.fields(ContainerView)}
    assert set(schemas["Container"]["properties"]["state"]["enum"]) == {
        s.value for s in samples.ContainerState
    }


def test_importing_the_room_does_not_load_flask() -> None:
    text = (Path(FOLDER).parent / "__init__.py").read_text()
    assert "import" not in text.split('"""')[2]


# server


def fetch(url: str, method: str = "GET") -> tuple[int, bytes]:
    request = urllib.request.Request(url, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def wait_until(condition: Any, what: str) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, f"not within 10 s: {what}"
        time.sleep(0.01)


def test_server_answers_below_a_secret_path_on_loopback(source: samples.SampleSource) -> None:
    with PageServer(source) as one, PageServer(source) as other:
        assert re.fullmatch(r"/[A-Za-z0-9]{32,}/", one.path) and one.path != other.path
        assert one.url == f"http://127.0.0.1:{one.port}{one.path}"
        assert fetch(f"{one.url}healthz") == (200, b'{"ok":true}\n')
        assert fetch(one.url)[0] == 200
        assert fetch(f"http://127.0.0.1:{one.port}/")[0] == 404
        assert fetch(f"http://127.0.0.1:{one.port}{other.path}")[0] == 404
        assert fetch(f"{one.url}api/v1/kill", "PUT")[0] == 403


def test_server_refuses_large_bodies(source: samples.SampleSource) -> None:
    with PageServer(source) as page, socket.create_connection(("127.0.0.1", page.port), timeout=10) as line:
        line.sendall(
            f"PUT {page.path}api/v1/kill HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n".encode()
        )
        line.sendall(b"x" * 20_000)
        assert b" 413 " in line.recv(4096).split(b"\r\n")[0]


def test_server_leaves_nothing_behind(source: samples.SampleSource) -> None:
    threads, files = set(threading.enumerate()), open_files()
    page = PageServer(source)
    idle = socket.create_connection(("127.0.0.1", page.port), timeout=10)
    assert fetch(page.url)[0] == 200
    page.close()
    page.close()
    assert idle.recv(1) == b""
    idle.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", page.port), timeout=10).close()
    wait_until(lambda: set(threading.enumerate()) <= threads, "threads end")
    wait_until(lambda: open_files() <= files, "sockets are closed")


def open_files() -> set[str]:
    links = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            links.add(str(entry.readlink()))
        except FileNotFoundError:
            continue  # the descriptor of this very listing
    return {link for link in links if link.startswith(("socket:", "pipe:"))}


def test_end_waits_until_a_viewer_knows_how_the_job_ended(source: samples.SampleSource) -> None:
    page = PageServer(source)
    fetch(f"{page.url}api/v1/job")
    source.set(samples.failed_job())
    closer = threading.Thread(target=page.close, args=(60.0,))
    closer.start()
    status, body = fetch(f"{page.url}api/v1/job")
    assert status == 200 and json.loads(body)["state"] == "FAILED"
    closer.join(30)
    assert not closer.is_alive()


def test_end_does_not_wait_when_nobody_watches(source: samples.SampleSource) -> None:
    page = PageServer(source)
    closer = threading.Thread(target=page.close, args=(3600.0,))
    closer.start()
    closer.join(30)
    assert not closer.is_alive()
