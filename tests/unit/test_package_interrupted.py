"""TERM while pip fetches wheels for the nodes: pip ends, and nothing stays."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import psutil
from submitting import SUBMIT, wait_for, words_of


def test_term_ends_pip_and_leaves_nothing(tmp_path: Path) -> None:
    for name in ("out", "cache", "tmp"):
        (tmp_path / name).mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        index = f"http://127.0.0.1:{silent.getsockname()[1]}/simple"
        environ = {
            **os.environ,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "TMPDIR": str(tmp_path / "tmp"),
            "PIP_INDEX_URL": index,
            "PIP_CONFIG_FILE": os.devnull,
            "no_proxy": "*",
        }
        words = [str(SUBMIT), "package", "--output", str(tmp_path / "out" / "x.tar.gz"), "--python", "3.99"]
        client = subprocess.Popen(
            words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        silent.settimeout(60)
        asked, _ = silent.accept()  # pip waits for an answer
        with asked:
            started = psutil.Process(client.pid).children(recursive=True)
            assert any("pip" in words_of(process) for process in started)
            client.send_signal(signal.SIGTERM)
            out, err = client.communicate(timeout=60)
    assert (client.returncode, out) == (128 + signal.SIGTERM, "")
    assert err == "xl-submit: interrupted; nothing was written\n"
    wait_for(lambda: not any(process.is_running() for process in started), 30, "pip is left")
    assert list((tmp_path / "out").iterdir()) == []
    assert list((tmp_path / "tmp").iterdir()) == []
    assert list((tmp_path / "cache").rglob("*")) == [
        tmp_path / "cache" / "xlearning",
        tmp_path / "cache" / "xlearning" / "wheels",
    ]
