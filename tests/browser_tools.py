"""A watched tab of a real Chromium, and a web proxy with the habits of YARN's."""

import contextlib
import http.client
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar
from urllib.parse import urlsplit

import webui_samples as samples
from playwright.sync_api import Browser, Page, expect

from xlearning.webui.server import PageServer

PATIENCE = 180_000  # milliseconds, for conditions that come true by themselves
expect.set_options(timeout=PATIENCE)


class Watch:
    """What a tab did: messages on its console, faults, and every address it asked for."""

    def __init__(self, page: Page, expected: str) -> None:
        self.faults: list[str] = []
        self.requests: list[tuple[str, str]] = []
        self._expected = expected
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self.requests.append((request.method, request.url)))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning") and not (self._expected and self._expected in message.text):
            self.faults.append(message.text)

    def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def count(self, part: str) -> int:
        return sum(part in url for _, url in self.requests)


@contextlib.contextmanager
def tab(browser: Browser, expected: str = "", **options: Any) -> Iterator[tuple[Page, Watch]]:
    """A fresh tab that must stay on this machine, and without faults but for those that are ``expected``."""
    context = browser.new_context(
        **{"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **options}
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch = Watch(page, expected)
    try:
        yield page, watch
    finally:
        context.close()
    assert watch.faults == [], watch.faults
    assert {urlsplit(url).hostname for _, url in watch.requests} <= {"127.0.0.1", "localhost"}


def row(page: Page, number: int) -> Any:
    return page.locator(f'#rows tr[data-id="{samples.container_id(number)}"]')


def live(page: Page) -> None:
    expect(page.locator("#live")).to_have_attribute("data-mode", "live")


class YarnLikeProxy(BaseHTTPRequestHandler):
    """Passes GET and PUT below /proxy/app, without cookies and most headers; no answer may be empty.

    Where the ApplicationMaster is gone it answers with YARN's own page. As the ResourceManager that it is
    part of, it also tells how the application stands (``yarn``).
    """

    protocol_version = "HTTP/1.1"
    target: PageServer
    yarn: ClassVar[dict[str, str]] = {"state": "RUNNING", "finalStatus": "UNDEFINED", "diagnostics": ""}
    mount = "/proxy/application_1_0001"

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path == "/ws/v1/cluster/apps/application_1_0001":
            return self._answer(
                200, "application/json;charset=utf-8", json.dumps({"app": self.yarn}).encode(), {}
            )
        if not (path == self.mount or path.startswith(f"{self.mount}/")) or "{" in query or "%7B" in query:
            return self._answer(404, "text/plain", b"not below the proxy", {})
        rest = path.removeprefix(self.mount).removeprefix("/")
        line = http.client.HTTPConnection("127.0.0.1", self.target.port, timeout=20)
        passed = {k: v for k, v in self.headers.items() if k in ("Accept", "User-Agent", "Content-Type")}
        try:
            line.request(
                self.command, self.target.path + rest + (f"?{query}" if query else ""), headers=passed
            )
        except ConnectionRefusedError:
            return self._answer(200, "text/html;charset=utf-8", b"<h1>Application Overview</h1>", {})
        with line.getresponse() as answer:
            body = answer.read()
            kept = {
                k: v
                for k, v in answer.headers.items()
                if k in ("Cache-Control", "Pragma", "Content-Security-Policy")
            }
            broken = not body or answer.status in (204, 301, 302, 303, 304, 307, 308)
            status = 500 if broken else answer.status
            self._answer(status, answer.headers["Content-Type"], body or b"null entity", kept)
        line.close()

    do_PUT = do_GET

    def _answer(self, status: int, kind: str, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Keeps the test's output short."""
