"""The file system contract on local files, and what is peculiar to them."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from contract_fs import FileSystemContract, read, write

from xlearning.errors import StorageError
from xlearning.fs import FileSystem, join, noreplace
from xlearning.fs.base import walk_by_listing
from xlearning.fs.local import LocalFileSystem, local_path


@pytest.fixture
def root(tmp_path: Path) -> str:
    return f"file://{tmp_path}/root" if not (tmp_path / "root").mkdir() else ""


class TestLocal(FileSystemContract):
    @pytest.fixture
    def fs(self) -> FileSystem:
        return LocalFileSystem()


class TestLocalWithoutRenameat2(FileSystemContract):
    @pytest.fixture
    def fs(self, monkeypatch: pytest.MonkeyPatch) -> FileSystem:
        monkeypatch.setattr(noreplace, "_renameat2", lambda: None)
        return LocalFileSystem()


def test_symbolic_links(root: str) -> None:
    fs, folder = LocalFileSystem(), Path(local_path(root))
    write(fs, join(root, "real", "file"), b"content")
    (folder / "link").symlink_to("real/file")
    (folder / "linked").symlink_to("real")
    (folder / "nowhere").symlink_to("missing")
    assert read(fs, join(root, "link")) == b"content"
    assert [(s.name, s.is_dir) for s in fs.list(root)] == [
        ("link", False),
        ("linked", True),
        ("nowhere", False),
        ("real", True),
    ]
    assert join(root, "linked", "file") in [s.path for s in fs.walk(root)]
    assert fs.delete(join(root, "linked")) is True
    assert read(fs, join(root, "real", "file")) == b"content"
    with pytest.raises(FileExistsError):
        fs.rename(join(root, "link"), join(root, "nowhere"))


def test_walk_ends_at_a_link_to_a_folder_above(root: str) -> None:
    fs = LocalFileSystem()
    write(fs, join(root, "a", "file"))
    (Path(local_path(root)) / "a" / "up").symlink_to("..")
    with pytest.raises(StorageError, match="above itself"):
        list(fs.walk(root))


def test_trees_deeper_than_recursion(root: str) -> None:
    fs, here = LocalFileSystem(), Path(local_path(root)) / "top"
    deepest = here.joinpath(*["d"] * 1050)
    for folder in (*reversed(deepest.parents), deepest):
        folder.mkdir(exist_ok=True)
    for number, folder in enumerate((deepest, here)):
        (folder / "file").write_bytes(b"1" * number)
    assert [(status.name, status.size) for status in fs.walk(root)] == [("file", 0), ("file", 1)]
    assert [status.size for status in walk_by_listing(fs, root)] == [0, 1]
    assert fs.delete(join(root, "top"), recursive=True)
    assert fs.list(root) == []


def test_pipes_and_sockets_are_not_opened(root: str) -> None:
    fs, folder = LocalFileSystem(), Path(local_path(root))
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        for name, words in (("pipe", "named pipe"), ("socket", "socket")):
            with pytest.raises(StorageError, match=words):
                fs.open_read(join(root, name))
            with pytest.raises(StorageError, match=words):
                fs.open_write(join(root, name), overwrite=True)


def test_mode_does_not_depend_on_the_umask(root: str) -> None:
    fs, before = LocalFileSystem(), os.umask(0o077)
    try:
        fs.mkdirs(join(root, "shared"), mode=0o777)
    finally:
        os.umask(before)
    assert fs.stat(join(root, "shared")).mode == 0o777


def test_uris_and_bare_paths() -> None:
    assert local_path("file:///a b/%20#x") == "/a b/%20#x"
    assert local_path("file://localhost/a/") == "/a"
    assert local_path("/a") == "/a"
    assert local_path("file://") == "/"
    for bad in ("a", "file://host/a", "hdfs://h/a", "file:///a\0b"):
        with pytest.raises(StorageError):
            local_path(bad)


def test_root_lists_with_clean_paths() -> None:
    paths = [status.path for status in LocalFileSystem().list("file:///")]
    assert "file:///tmp" in paths and all(path.startswith("file:///") for path in paths)
    assert LocalFileSystem().stat("file:///").name == ""
    assert [s.path for s in LocalFileSystem().glob("file:///tm[p]")] == ["file:///tmp"]
