"""A real S3 server for tests: the Versity gateway over a folder, built once with Go."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from minihadoop import ports
from submitting import wait_for

_MODULE = "github.com/versity/versitygw/cmd/versitygw"
_VERSION = "v1.8.0"
ACCESS, SECRET = "test-access", "test-secret-of-nobody"


@dataclass(frozen=True)
class S3Server:
    """One that runs; every folder of ``buckets`` is a bucket, and its objects are files there."""

    endpoint: str
    buckets: Path

    def bucket(self, name: str) -> str:
        """Make a bucket; its URI."""
        (self.buckets / name).mkdir()
        return f"s3a://{name}"


def gateway_program() -> Path:
    """The server's program, built when it is not there; its folder is kept between runs.

    Raises
    ------
    FileNotFoundError
        There is no Go.
    """
    go = shutil.which("go")
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "xlearning-tests"
    folder = cache / f"versitygw-{_VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "versitygw"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            if go is None:
                raise FileNotFoundError("Go, which builds the Versity gateway, is not installed")
            variables = {**os.environ, "GOBIN": str(folder), "CGO_ENABLED": "0"}
            subprocess.run([go, "install", f"{_MODULE}@{_VERSION}"], check=True, env=variables)
    return program


@contextmanager
def running(program: Path, folder: Path) -> Iterator[S3Server]:
    """A server over ``folder``, until the end of the block."""
    buckets = folder / "buckets"
    buckets.mkdir()
    variables = {**os.environ, "ROOT_ACCESS_KEY": ACCESS, "ROOT_SECRET_KEY": SECRET}
    # below what outgoing connections get: one of them could take the port before the server does
    port = ports.choose(())
    command = [program, "--port", f"127.0.0.1:{port}", "--quiet", "posix", buckets]
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(command, env=variables, stdout=log, stderr=log)
        try:
            wait_for(lambda: process.poll() is not None or _listens(port), 60)
            assert process.poll() is None, (folder / "log").read_text()
            yield S3Server(f"http://127.0.0.1:{port}", buckets)
        finally:
            process.terminate()
            process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0
