"""One Chromium for all tests of a file, and one page server for each test."""

import os
import shutil
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
import webui_samples as samples
from browser_tools import PATIENCE, YarnLikeProxy
from playwright.sync_api import Browser, sync_playwright

from xlearning.webui.server import PageServer

CHROMIUM_ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str:
    found = shutil.which("chromium") or "/usr/bin/chromium"
    if not Path(found).exists():
        words = "the page's browser tests need Chromium: install the package 'chromium'"
        if os.environ.get("CI") == "true":
            pytest.fail(words)
        pytest.skip(words)
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as tool:
        instance = tool.chromium.launch(executable_path=path, args=list(CHROMIUM_ARGS), timeout=PATIENCE)
        yield instance
        instance.close()


@pytest.fixture
def source() -> samples.SampleSource:
    return samples.SampleSource()


@pytest.fixture
def server(source: samples.SampleSource) -> Iterator[PageServer]:
    with PageServer(source) as server:
        yield server


@pytest.fixture
def proxied(server: PageServer) -> Iterator[str]:
    handler = type("Handler", (YarnLikeProxy,), {"target": server})
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    proxy.daemon_threads = False
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{proxy.server_address[1]}{YarnLikeProxy.mount}"
    proxy.shutdown()
    thread.join()
    proxy.server_close()
