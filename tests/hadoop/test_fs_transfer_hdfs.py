"""Transfers from and to a real HDFS, also while its NameNode is stopped."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from contract_fs import write

from xlearning.errors import StorageUnavailable
from xlearning.fs import FileSystems, join, split_uri
from xlearning.fs.transfer import TransferError, download, upload
from xlearning.job import FetchItem

pytestmark = pytest.mark.hadoop

NAMES = ["plain", "a b", "k=v", "50%", "p%20q", "plus+", "h#h", "é", "中", "deep/er/x", ".hid", "void"]


@pytest.fixture
def root(hdfs_dir: str) -> str:
    return hdfs_dir.rstrip("/")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return fill(tmp_path / "source", {name: 0 if name == "void" else 10_000 for name in NAMES})


def fill(folder: Path, sizes: dict[str, int]) -> Path:
    for name, size in sizes.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(size))
    return folder


def items(fss: FileSystems, uri: str) -> list[FetchItem]:
    return [FetchItem(s.path, s.path[len(uri) + 1 :], s.size) for s in fss.of(uri).walk(uri)]


def content(folder: Path) -> dict[str, str | None]:
    return {
        str(path.relative_to(folder)): digest(path) if path.is_file() else None for path in folder.rglob("*")
    }


def digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def name_node_stopped(root: str) -> Iterator[None]:
    port = int(split_uri(root)[1].partition(":")[2])
    pids = {
        c.pid
        for c in psutil.net_connections("tcp")
        if c.status == psutil.CONN_LISTEN and c.laddr.port == port and c.pid
    }
    assert len(pids) == 1
    pid = pids.pop()
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_there_and_back(root: str, source: Path, tmp_path: Path) -> None:
    fss, remote = FileSystems(root), join(root, "up load=%")
    (source / "nothing" / "inside").mkdir(parents=True)
    for _ in range(2):
        result = upload(fss, source, remote)
        assert result.files == len(NAMES)
    assert fss.of(root).list(join(remote, "nothing", "inside")) == []
    wanted = items(fss, remote)
    assert len(wanted) == len(NAMES)
    result = download(fss, wanted, tmp_path / "target")
    assert (result.files, result.bytes) == (len(NAMES), 10_000 * (len(NAMES) - 1))
    (source / "nothing" / "inside").rmdir()
    (source / "nothing").rmdir()
    assert content(tmp_path / "target") == content(source)


def test_errors_name_the_files(root: str, tmp_path: Path) -> None:
    fss = FileSystems(root)
    write(fss.of(root), join(root, "grown"), b"12345")
    wanted = [FetchItem(join(root, "gone"), "gone", 1), FetchItem(join(root, "grown"), "grown", 4)]
    with pytest.raises(TransferError, match="2 of 2 files") as caught:
        download(fss, wanted, tmp_path / "target")
    assert "gone: File does not exist" in caught.value.message
    assert "grown: changed while the job ran: 4 bytes when it was listed, 5 bytes now" in caught.value.message
    fill(tmp_path / "source", {"a:b": 1})
    with pytest.raises(TransferError, match=r"a:b: .*Invalid path name"):
        upload(fss, tmp_path / "source", join(root, "up"))


@pytest.mark.parametrize("timeout", [0.5, 60.0])
@pytest.mark.parametrize("way", ["up", "down"])
def test_name_node_is_stopped_for_a_while(root: str, tmp_path: Path, way: str, timeout: float) -> None:
    """With the short time-out calls are given up and repeated, with the long one they wait."""
    source = fill(tmp_path / "source", {f"{n}": 1000 for n in range(60)} | {"big": 5 << 20})
    fss, patient = FileSystems(root, timeout=timeout), FileSystems(root, timeout=60.0)
    if way == "down":
        upload(patient, source, join(root, "there"))
        wanted = items(patient, join(root, "there"))
    begun, failures = threading.Event(), list[BaseException]()

    def transfer() -> None:
        def on_progress(*_: int) -> None:
            begun.set()

        try:
            if way == "up":
                upload(fss, source, join(root, "there"), threads=2, on_progress=on_progress)
            else:
                download(fss, wanted, tmp_path / "target", threads=2, on_progress=on_progress)
        except BaseException as error:  # noqa: BLE001 - shown by the test
            failures.append(error)

    thread = threading.Thread(target=transfer)
    thread.start()
    assert begun.wait(60)
    probe = FileSystems(root, timeout=0.8).default
    with name_node_stopped(root):
        for _ in range(2):
            with pytest.raises(StorageUnavailable):
                probe.stat(root)
    thread.join(200)
    assert not thread.is_alive() and failures == []
    if way == "up":
        download(patient, items(patient, join(root, "there")), tmp_path / "target")
    assert content(tmp_path / "target") == content(source)


# Copies a folder to HDFS and back, and says how much memory that took at most (KiB).
COPY = """
import re, sys
from pathlib import Path
from xlearning.fs import FileSystems
from xlearning.fs.transfer import download, upload
from xlearning.job import FetchItem
source, remote, target = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
fss = FileSystems(remote)
sent = upload(fss, source, remote)
items = [FetchItem(s.path, s.path[len(remote) + 1 :], s.size) for s in fss.of(remote).walk(remote)]
came = download(fss, items, target)
assert sent == came, (sent, came)
# not ru_maxrss, which begins with what the parent had
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def copied(source: Path, remote: str, target: Path) -> int:
    """Peak memory in MB of a process that copies there and back."""
    words = [sys.executable, "-c", COPY, str(source), remote, str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout) // 1024


@pytest.mark.large
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_small_files(root: str, tmp_path: Path) -> None:
    source = fill(tmp_path / "source", {f"{n % 100}/{n}": n % 1000 for n in range(100_000)})
    assert copied(source, join(root, "many"), tmp_path / "target") < 200
    assert content(tmp_path / "target") == content(source)


@pytest.mark.large
@pytest.mark.timeout(1200)
def test_a_file_of_five_gigabytes_in_little_memory(root: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with open(source / "large", "wb") as file:
        for at in range(0, 5_000_000_000, 500_000_000):  # the rest are holes, which cost no disk here
            file.seek(at)
            file.write(os.urandom(1 << 20))
        file.truncate(5_000_000_001)
    assert copied(source, join(root, "large"), tmp_path / "target") < 150
    assert digest(tmp_path / "target" / "large") == digest(source / "large")
