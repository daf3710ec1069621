"""Downloads and uploads on local files; HDFS is in tests/hadoop."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO

import pytest

from xlearning.errors import StorageError, StorageUnavailable, UsageError
from xlearning.fs import FileSystems, transfer
from xlearning.fs.local import LocalFileSystem
from xlearning.fs.retry import Cancelled, keep_trying
from xlearning.fs.transfer import TransferError, TransferResult, download, upload
from xlearning.job import FetchItem
from xlearning.trees import remove_tree

NAMES = ["plain", "a b", "k=v", "50%", "p%20q", "plus+", "h#h", "é", "中", "deep/er/x", ".hid", "n" * 255]


@pytest.fixture
def fss() -> FileSystems:
    return FileSystems()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    for number, name in enumerate(NAMES):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(1000 * number))
    return folder


def items(fss: FileSystems, folder: Path) -> list[FetchItem]:
    uri = f"file://{folder}"
    return [FetchItem(s.path, s.path[len(uri) + 1 :], s.size) for s in fss.of(uri).walk(uri)]


def content(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


class FlakyFileSystem(LocalFileSystem):
    """Real files, but the service is away for a number of calls."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.lock = threading.Lock()

    def _maybe_fail(self) -> None:
        with self.lock:
            if self.failures > 0:
                self.failures -= 1
                raise StorageUnavailable("away")

    def open_read(self, path: str) -> BinaryIO:
        self._maybe_fail()
        return super().open_read(path)

    def replace(self, source: str, target: str) -> None:
        super().replace(source, target)
        self._maybe_fail()  # done, but the answer is lost

    def mkdirs(self, path: str, *, mode: int | None = None) -> None:
        self._maybe_fail()
        super().mkdirs(path, mode=mode)


class Given(FileSystems):
    def __init__(self, fs: LocalFileSystem) -> None:
        super().__init__()
        self._fs = fs

    def of(self, uri: str) -> LocalFileSystem:  # noqa: ARG002
        return self._fs


def test_download(fss: FileSystems, source: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    wanted = items(fss, source)
    result = download(
        fss, wanted, tmp_path / "target", threads=4, on_progress=lambda *sums: seen.append(sums)
    )
    total = sum(item.size for item in wanted)
    assert content(tmp_path / "target") == content(source)
    assert result == TransferResult(len(NAMES), total)
    assert seen == sorted(seen) and seen[-1] == (len(NAMES), total)


def test_upload_and_again(fss: FileSystems, source: Path, tmp_path: Path) -> None:
    (source / "void" / "inner").mkdir(parents=True)
    for _ in range(2):
        result = upload(fss, source, f"file://{tmp_path}/target/below", threads=3)
        assert content(tmp_path / "target" / "below") == content(source)
        assert result.files == len(NAMES)


def test_upload_of_an_empty_folder_makes_it(fss: FileSystems, tmp_path: Path) -> None:
    (tmp_path / "void").mkdir()
    assert upload(fss, tmp_path / "void", f"file://{tmp_path}/target") == TransferResult(0, 0)
    assert (tmp_path / "target").is_dir()


def test_upload_of_what_is_no_folder(fss: FileSystems, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        upload(fss, tmp_path / "missing", f"file://{tmp_path}/target")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        upload(fss, tmp_path / "file", f"file://{tmp_path}/target")
    assert not (tmp_path / "target").exists()


def test_upload_follows_links(fss: FileSystems, source: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    (outside / "folder" / "file").write_text("outside")
    (source / "inner").symlink_to("plain")
    (source / "outer").symlink_to(outside / "folder" / "file")
    (source / "tree").symlink_to(outside)
    upload(fss, source, f"file://{tmp_path}/target")
    copied = tmp_path / "target"
    assert (copied / "outer").read_text() == (copied / "tree" / "folder" / "file").read_text() == "outside"
    assert not any(path.is_symlink() for path in copied.rglob("*"))


def test_upload_of_deeper_folders_than_python_calls_itself(fss: FileSystems, tmp_path: Path) -> None:
    depth, limit = 400, sys.getrecursionlimit()
    here = os.getcwd()  # noqa: PTH109
    os.chdir(tmp_path)
    try:
        for _ in range(depth):
            os.mkdir("d")  # noqa: PTH102
            os.chdir("d")
        Path("f").write_text("x")
    finally:
        os.chdir(here)
    try:
        sys.setrecursionlimit(300)
        assert upload(fss, tmp_path / "d", f"file://{tmp_path}/t/d") == TransferResult(1, 1)
        assert (tmp_path / "t" / "/".join("d" * depth) / "f").read_text() == "x"
    finally:
        sys.setrecursionlimit(limit)
        for name in ("d", "t"):
            remove_tree(tmp_path / name)


def test_upload_names_what_cannot_be_copied(fss: FileSystems, source: Path, tmp_path: Path) -> None:
    os.mkfifo(source / "deep" / "pipe")
    (source / "loop").symlink_to(".")
    (source / "nowhere").symlink_to("missing")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(source, os.O_RDONLY)
        try:  # the path of a socket may not be longer than 108 bytes
            server.bind(f"/proc/self/fd/{here}/sock")
        finally:
            os.close(here)
        with pytest.raises(StorageError) as caught:
            upload(fss, source, f"file://{tmp_path}/target")
    for words in (
        "deep/pipe (a named pipe)",
        "sock (a socket)",
        "loop (a sym",
        "nowhere (a symbolic link: No such",
    ):
        assert words in caught.value.message
    assert not (tmp_path / "target").exists()


def test_all_missing_files_are_named(fss: FileSystems, source: Path, tmp_path: Path) -> None:
    wanted = [
        *items(fss, source),
        *(FetchItem(f"file://{source}/gone-{n}", f"gone-{n}", 1) for n in range(9)),
    ]
    with pytest.raises(TransferError, match=r"9 of 21 files could not be downloaded: .*and 4 more") as caught:
        download(fss, wanted, tmp_path / "target", threads=2)
    assert sorted(name for name, _ in caught.value.failures) == [
        f"file://{source}/gone-{n}" for n in range(9)
    ]
    assert all(isinstance(error, FileNotFoundError) for _, error in caught.value.failures)
    assert not [path for path in (tmp_path / "target").rglob("*") if path.name.endswith(".part")]


@pytest.mark.parametrize("now", [3, 9])
def test_source_that_changed(fss: FileSystems, tmp_path: Path, now: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * now)
    with pytest.raises(TransferError, match=f"changed while the job ran: 5 bytes .*, {now} bytes now"):
        download(fss, [FetchItem(f"file://{tmp_path}/file", "file", 5)], tmp_path / "target")
    assert content(tmp_path / "target") == {}


@pytest.mark.parametrize("target", ["/abs", "../up", "a/../../b", "", "."])
def test_targets_stay_inside(fss: FileSystems, tmp_path: Path, target: str) -> None:
    with pytest.raises(UsageError, match="does not stay inside"):
        download(fss, [FetchItem("file:///x", target, 1)], tmp_path)


def test_two_files_for_one_target(fss: FileSystems, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="file:///x and file:///y would both become 'a'"):
        download(fss, [FetchItem("file:///x", "a", 1), FetchItem("file:///y", "a", 1)], tmp_path)


def test_service_that_comes_back(source: Path, tmp_path: Path) -> None:
    fs = FlakyFileSystem(2)
    download(Given(fs), items(Given(fs), source), tmp_path / "down", threads=4)
    fs.failures = 2
    upload(Given(fs), source, f"file://{tmp_path}/up", threads=4)
    assert fs.failures == 0
    assert content(tmp_path / "down") == content(tmp_path / "up") == content(source)


def test_service_that_stays_away(source: Path, tmp_path: Path) -> None:
    fss = Given(FlakyFileSystem(10**9))
    with pytest.raises(TransferError, match="away") as caught:
        download(fss, items(fss, source), tmp_path / "down", threads=2, retry_time=0.3)
    assert 1 <= len(caught.value.failures) <= 2  # nothing more is begun
    with pytest.raises(StorageUnavailable, match="away"):
        upload(fss, source, f"file://{tmp_path}/up", retry_time=0.3)


def test_cancel_during_a_transfer(fss: FileSystems, source: Path, tmp_path: Path) -> None:
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        download(
            fss,
            items(fss, source),
            tmp_path / "down",
            threads=1,
            cancel=cancel,
            on_progress=lambda *_: cancel.set(),
        )
    assert len(content(tmp_path / "down")) < len(NAMES)


def test_cancel_while_waiting_for_the_service() -> None:
    cancel, called = threading.Event(), threading.Event()
    outcome: list[BaseException] = []

    def away() -> None:
        called.set()
        raise StorageUnavailable("away")

    def wait() -> None:
        try:
            keep_trying(away, retry_time=1e6, cancel=cancel)
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    assert called.wait(30)
    cancel.set()
    thread.join(30)
    assert len(outcome) == 1


def test_a_fault_of_the_caller_is_not_taken_for_a_failed_file(
    fss: FileSystems, source: Path, tmp_path: Path
) -> None:
    with pytest.raises(ZeroDivisionError):
        download(fss, items(fss, source), tmp_path / "down", on_progress=lambda *_: 1 // 0)  # type: ignore[arg-type,return-value]


def test_full_disk(tmp_path: Path) -> None:
    script = """
import resource, sys
from pathlib import Path
from xlearning.fs import FileSystems
from xlearning.fs.transfer import TransferError, download
from xlearning.job import FetchItem
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    download(FileSystems(), [FetchItem("file://" + sys.argv[1], "big", 100_000)], Path(sys.argv[2]))
except TransferError as error:
    print(error.errno, error.message)
"""
    (tmp_path / "big").write_bytes(bytes(100_000))
    command = [sys.executable, "-c", script, str(tmp_path / "big"), str(tmp_path / "down")]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    number, _, message = output.partition(" ")
    assert int(number) == errno.EFBIG
    assert "1 of 1 files could not be downloaded" in message and "File too large" in message
    assert content(tmp_path / "down") == {}


@pytest.mark.parametrize("for_ever", [False, True])
def test_a_full_disk_may_become_less_full(tmp_path: Path, for_ever: bool) -> None:
    """What was written of a file goes, so that others find room; then it is tried again."""
    (tmp_path / "big").write_bytes(bytes(100_000))
    (tmp_path / "down").mkdir()
    partial = tmp_path / "down" / transfer._partial_name("big")
    partial.symlink_to("/dev/full")

    class Refilled(LocalFileSystem):
        def open_read(self, path: str) -> BinaryIO:
            if for_ever and not partial.is_symlink():
                partial.symlink_to("/dev/full")
            return super().open_read(path)

    fss = Given(Refilled())
    wanted = [FetchItem(f"file://{tmp_path}/big", "big", 100_000)]
    if not for_ever:
        assert download(fss, wanted, tmp_path / "down").bytes == 100_000
        assert content(tmp_path / "down") == {"big": bytes(100_000)}
        return
    with pytest.raises(TransferError, match=f"{tmp_path}/big: {tmp_path}/down: No space left") as caught:
        download(fss, wanted, tmp_path / "down", retry_time=0.5)
    assert caught.value.errno == errno.ENOSPC
    assert content(tmp_path / "down") == {}


def test_target_below_a_file(fss: FileSystems, source: Path, tmp_path: Path) -> None:
    (tmp_path / "blocked").touch()
    with pytest.raises(TransferError) as caught:
        download(fss, [FetchItem(f"file://{source}/plain", "blocked/x", 0)], tmp_path)
    assert isinstance(caught.value.failures[0][1], FileExistsError | NotADirectoryError)


def test_names_that_are_no_text(fss: FileSystems, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / name).write_text("x")
    upload(fss, tmp_path / "source", f"file://{tmp_path}/up")
    assert [path.name for path in (tmp_path / "up").iterdir()] == [name]
    with pytest.raises(TransferError) as caught:
        download(fss, [FetchItem(f"file://{tmp_path}/{name}", "x", 1)], tmp_path / "down")
    caught.value.message.encode()


def vanish(folder: Path) -> None:
    """Delete all but the first files, as a program does that keeps its newest checkpoints only."""
    for path in folder.glob("[1-9]*/*"):
        path.unlink()
    for path in folder.glob("[1-9]*"):
        path.rmdir()


@pytest.mark.parametrize("alive", [True, False])
def test_upload_while_somebody_deletes_files(fss: FileSystems, tmp_path: Path, alive: bool) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for n in range(100):
        (source / str(n)).mkdir(parents=True)
        (source / str(n) / "f").write_text("x")
    done = threading.Event()

    def progress(_files: int, _size: int) -> None:
        if not done.is_set():
            done.set()
            vanish(source)

    def run() -> TransferResult:
        return upload(fss, source, f"file://{target}", threads=1, on_progress=progress, alive=alive)

    if not alive:
        with pytest.raises(TransferError):
            run()
        return
    result = run()
    found = [path for path in target.rglob("*") if path.is_file()]
    assert 1 <= result.files == len(found) < 100
    assert {path.name for path in found} == {"f"}
