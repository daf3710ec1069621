"""TensorBoard below the page: what the tunnel carries, what pages get, and the way to the other server."""

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import webui_samples as samples
from flask.testing import FlaskClient
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from xlearning.job import VISUALDL, BoardView
from xlearning.webui import view
from xlearning.webui.tunnel import MAX_BODY, Tunnel

BASE = "/s3cret"
PAGE = "<!doctype html><html><head><base href='x/'></head>url(/font-roboto/a)"


@Request.application
def echo(request: Request) -> Response:
    if request.path.endswith((".html", "/")):
        return Response(PAGE, mimetype="text/html")
    if request.path == "/empty":
        return Response(status=204)
    if request.path == "/cached":
        return Response("x", headers={"Cache-Control": "private, max-age=5"})
    body = request.get_data(as_text=True)
    return Response(
        json.dumps([request.method, request.path, request.query_string.decode(), request.mimetype, body])
    )


def pack(method: str, url: str, body: bytes = b"", kind: str = "") -> str:
    def code(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    return f"{code(json.dumps({'method': method, 'url': url, 'type': kind}).encode())}.{code(body)}"


@pytest.fixture
def tunnel() -> Client:
    return Client(Tunnel(echo))


def test_a_put_becomes_what_it_was(tunnel: Client) -> None:
    line = pack("POST", "data/a%7B?q=%257B&f", "é{\n}".encode(), "text/x")
    got = tunnel.put("/xl-tunnel?for=x", data=line, content_type="text/plain")
    assert json.loads(got.text) == ["POST", "/data/a{", "q=%257B&f", "text/x", "é{\n}"]


@pytest.mark.parametrize(
    "line",
    ["", "nonsense", "e30.e30", "!.!", pack("DELETE", "x"), "x" * (MAX_BODY + 1), "W10.", "é"],
)
def test_what_is_no_request_is_refused(tunnel: Client, line: str) -> None:
    assert tunnel.put("/xl-tunnel", data=line.encode()).status_code == 400


def test_only_a_put_carries(tunnel: Client) -> None:
    assert tunnel.get("/xl-tunnel?d=" + pack("POST", "x")).status_code == 400
    assert tunnel.post("/xl-tunnel", data=pack("POST", "x")).status_code == 400


def test_pages_get_the_script_before_everything_else(tunnel: Client) -> None:
    assert '<head><script src="xl-tunnel.js?v=' in tunnel.get("/").text
    page = tunnel.get("/data/plugin_entry.html").text
    assert '<head><script src="../xl-tunnel.js?v=' in page
    assert "url(../font-roboto/a)" in page
    script = tunnel.get("/xl-tunnel.js?v=1")
    assert (script.mimetype, "xl-tunnel?for=" in script.text) == ("text/javascript", True)
    assert (
        'content="0;url=tb/"'
        in tunnel.get("", environ_overrides={"PATH_INFO": "", "SCRIPT_NAME": "/tb"}).text
    )


def test_answers_that_yarns_proxy_would_spoil_are_changed(tunnel: Client) -> None:
    assert tunnel.get("/empty").status_code == 200
    assert tunnel.get("/cached").headers["Pragma"] == "cache"
    assert "Pragma" not in tunnel.get("/data").headers


class Elsewhere(BaseHTTPRequestHandler):
    """Tells what it was asked."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        answer = json.dumps([self.command, self.path, body, self.headers.get("Cookie")]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST

    def log_message(self, *_: Any) -> None:
        """Keeps the test's output short."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_page_hands_on_to_tensorboard(
    client: FlaskClient, source: samples.SampleSource, elsewhere: str
) -> None:
    source.set(samples.job(board=BoardView(True, elsewhere)))
    got = client.get(f"{BASE}/tb/data/x%20y?a=%7B", headers={"Cookie": "proxy-user=alice"})
    assert json.loads(got.text) == ["GET", "/data/x%20y?a=%7B", "", None]
    got = client.put(f"{BASE}/tb/xl-tunnel", data=pack("POST", "data/t", b"body"))
    assert json.loads(got.text) == ["POST", "/data/t", "body", None]
    source.set(samples.job(board=BoardView(True, f"{elsewhere}proxy/a/tb/index.html", program=VISUALDL)))
    for asked, found in (("", "index.html"), ("api/runs?a=1", "api/runs?a=1")):
        got = client.get(f"{BASE}/tb/{asked}")
        assert json.loads(got.text)[1] == f"/proxy/a/tb/{found}"
    assert client.get("/tb/data").status_code == 404  # never beside the secret path


@pytest.mark.parametrize(
    "line",
    [pack("GET", "x?q=\u2603"), pack("POST", "x", b"b", "a\r\nX: y"), pack("POST", "x", b"b", "\u2603")],
)
def test_what_http_cannot_carry_is_refused(
    client: FlaskClient, source: samples.SampleSource, elsewhere: str, line: str
) -> None:
    source.set(samples.job(board=BoardView(True, elsewhere)))
    got = client.put(f"{BASE}/tb/xl-tunnel", data=line)
    assert (got.status_code, "HTTP cannot carry" in got.text) == (400, True)


def test_there_is_a_sentence_while_tensorboard_is_not_there(
    client: FlaskClient, source: samples.SampleSource
) -> None:
    source.set(samples.job(board=BoardView(True)))
    got = client.get(f"{BASE}/tb/data")
    assert (got.status_code, got.text) == (503, "TensorBoard is not up yet.")
    for wrong in ("javascript:1", "http://127.0.0.1:99999/", "https://127.0.0.1/"):
        source.set(samples.job(board=BoardView(True, wrong)))
        assert client.get(f"{BASE}/tb/data").status_code == 503
    source.set(samples.job(board=BoardView(True, "http://127.0.0.1:1/")))
    assert client.get(f"{BASE}/tb/data").status_code == 502


def test_the_job_page_has_both_links(client: FlaskClient, source: samples.SampleSource) -> None:
    text = client.get(f"{BASE}/").text
    assert '<a id="board-page" href="tb/">' in text
    assert 'href="http://node03.example.org:6006/"' in text
    source.set(samples.job(board=BoardView(True, "http://node03.example.org:6006/", program=VISUALDL)))
    text = client.get(f"{BASE}/").text
    assert '<a id="board-page" href="tb/" hidden>' in text
    assert "View VisualDL" in text
    below = "http://node03.example.org:6006/proxy/application_1/pages/job/tb/index.html"
    source.set(samples.job(board=BoardView(True, below, program=VISUALDL)))
    assert '<a id="board-page" href="tb/">VisualDL</a>' in client.get(f"{BASE}/").text
    assert not view.board_page(BoardView(True))
