"""The server around the page: where it listens, what it refuses, what it leaves behind."""

import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import webui_samples as samples

from xlearning.webui.server import PageServer


@pytest.fixture
def source() -> samples.SampleSource:
    return samples.SampleSource()


def fetch(url: str, method: str = "GET") -> tuple[int, bytes]:
    request = urllib.request.Request(url, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def wait_until(condition: Any, what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"not within 60 s: {what}"
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
    with PageServer(source) as page, socket.create_connection(("127.0.0.1", page.port), timeout=60) as line:
        line.sendall(
            f"PUT {page.path}api/v1/kill HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n".encode()
        )
        assert b" 413 " in line.recv(4096).split(b"\r\n")[0]


def test_server_leaves_nothing_behind(source: samples.SampleSource) -> None:
    threads, files = set(threading.enumerate()), open_files()
    page = PageServer(source)
    idle = socket.create_connection(("127.0.0.1", page.port), timeout=60)
    assert fetch(page.url)[0] == 200
    page.close()
    page.close()
    assert idle.recv(1) == b""
    idle.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", page.port), timeout=60).close()
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
