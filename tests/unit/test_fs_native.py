"""HDFS that is not there: refused, silent, unknown; and what a fork may not do. No Hadoop needed."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from xlearning.errors import StorageError, StorageUnavailable
from xlearning.fs.native import HdfsFileSystem


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_CONF_DIR", "HADOOP_HOME", "HADOOP_TOKEN_FILE_LOCATION"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of something that takes connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def closed() -> Iterator[str]:
    """An address that refuses connections for as long as the test runs."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{holder.getsockname()[1]}"


def test_refused(closed: str) -> None:
    fs = HdfsFileSystem(f"hdfs://{closed}", timeout=30)
    for call in (fs.stat, fs.list, fs.open_read, fs.open_write, fs.mkdirs, fs.delete):
        with pytest.raises(StorageUnavailable, match=f"{closed} cannot be reached: .*refused") as caught:
            call(f"hdfs://{closed}/x")
    assert caught.value.hint and "fs.defaultFS" in caught.value.hint


def test_silent(silent: str) -> None:
    fs = HdfsFileSystem(f"hdfs://{silent}", timeout=0.2)
    for _ in range(2):
        with pytest.raises(StorageUnavailable, match=rf"{silent} did not answer within 0\.2 s"):
            fs.stat(f"hdfs://{silent}/x")


def test_unknown_host() -> None:
    with pytest.raises(StorageUnavailable, match="cannot be reached: failed to lookup"):
        HdfsFileSystem("hdfs://no.such.host.invalid:1").stat("hdfs://no.such.host.invalid:1/")


def test_a_host_without_port_and_configuration_means_the_default_port() -> None:
    with pytest.raises(StorageUnavailable, match="cannot be reached"):
        HdfsFileSystem("hdfs://no.such.host.invalid").stat("hdfs://no.such.host.invalid/")


def test_paths_are_checked_before_anything_is_contacted() -> None:
    fs = HdfsFileSystem("hdfs://nn:1")
    for path in ("hdfs://nn:2/a", "file:///a", "hdfs://nn:1/a\0", "hdfs://nn:1/\udce9", "a"):
        with pytest.raises(StorageError):
            fs.stat(path)
    with pytest.raises(StorageError, match="root"):
        fs.delete("hdfs://nn:1/a/..", recursive=True)


def test_a_hung_call_does_not_hold_up_the_end(silent: str) -> None:
    script = f"""
from xlearning.errors import StorageUnavailable
from xlearning.fs import FileSystems
try:
    FileSystems("hdfs://{silent}", timeout=0.2).default.stat("hdfs://{silent}/")
except StorageUnavailable as error:
    print(error.message)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"HDFS at {silent} did not answer within 0.2 s\n"


def test_not_across_a_fork(closed: str) -> None:
    script = f"""
import os, sys
from xlearning.fs import FileSystems
fs = FileSystems("hdfs://{closed}").default
child = os.fork()
if child == 0:
    try:
        fs.stat("hdfs://{closed}/")
    except RuntimeError as error:
        os._exit(7 if "fork" in str(error) else 8)
    os._exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "7\n"
