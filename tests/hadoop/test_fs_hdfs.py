"""The file system contract on a real HDFS, and what is peculiar to it."""

from __future__ import annotations

import errno
import gc
import getpass
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from contract_fs import FileSystemContract, read, write
from minihadoop import MiniHadoop
from webhdfs import WebHdfs

from xlearning.errors import StorageError, StorageUnavailable
from xlearning.fs import FileStatus, FileSystem, join, split_uri
from xlearning.fs.locations import hosts_of
from xlearning.fs.native import HdfsFileSystem

pytestmark = pytest.mark.hadoop


@pytest.fixture
def root(hdfs_dir: str) -> str:
    return hdfs_dir.rstrip("/")


@pytest.fixture
def fs(root: str) -> FileSystem:
    return HdfsFileSystem(root)


class TestHdfs(FileSystemContract):
    """The contract."""


def test_without_any_configuration(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    host, _, _ = split_uri(root)[1].partition(":")
    by_ip = root.replace(f"//{host}:", f"//{socket.gethostbyname(host)}:")
    fs = HdfsFileSystem(by_ip)
    write(fs, join(by_ip, "file"), b"content")
    assert read(fs, join(by_ip, "file")) == b"content"
    assert [s.path for s in fs.glob(join(by_ip, "f*"))] == [join(by_ip, "file")]


def test_permission(fs: FileSystem, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fs.mkdirs(join(root, "closed"), mode=0o700)
    monkeypatch.setenv("HADOOP_USER_NAME", "somebody-else")
    other = HdfsFileSystem(root)
    for call in (other.list, lambda p: other.open_write(p + "/x"), lambda p: other.delete(p, recursive=True)):
        with pytest.raises(PermissionError, match=r"closed|Permission denied"):
            call(join(root, "closed"))
    with pytest.raises(PermissionError):
        other.rename(join(root, "closed"), join(root, "open"))


def test_file_that_vanishes_while_it_is_written(fs: FileSystem, root: str) -> None:
    stream = fs.open_write(join(root, "file"))
    stream.write(b"x")
    fs.delete(join(root, "file"))
    with pytest.raises(StorageUnavailable, match="open files"):
        stream.close()
    assert stream.closed


def test_file_that_is_never_closed_is_not_completed(fs: FileSystem, root: str) -> None:
    stream = fs.open_write(join(root, "file"))
    stream.write(b"x")
    with pytest.warns(ResourceWarning, match="never closed"):
        del stream
        gc.collect()
    assert fs.stat(join(root, "file")).size == 0


def test_names_that_hdfs_refuses(fs: FileSystem, root: str) -> None:
    with pytest.raises(StorageError, match="a:b") as caught:
        fs.open_write(join(root, "a:b"))
    assert caught.value.errno == errno.EINVAL


def test_folders_are_listed_in_batches(fs: FileSystem, root: str) -> None:
    with ThreadPoolExecutor(16) as pool:
        for done in [pool.submit(fs.mkdirs, join(root, "many", f"{n:04}")) for n in range(1000)]:
            done.result()
    assert [s.name for s in fs.list(join(root, "many"))] == [f"{n:04}" for n in range(1000)]
    fs.mkdirs(join(root, "many", "last"))
    assert len(fs.list(join(root, "many"))) == 1001


def test_where_blocks_lie(
    hadoop: MiniHadoop, hdfs_dir: str, fs: FileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HADOOP_CONF_DIR", str(hadoop.layout.conf))
    folder = split_uri(hdfs_dir)[2]
    WebHdfs(hadoop.namenode_web).write(f"{folder}/a b%1", b"x" * 2500, blocksize=1024)
    write(fs, join(hdfs_dir, "empty"), b"")
    files = [*fs.list(hdfs_dir), FileStatus(join(hdfs_dir, "gone"), 5, False, 0.0)]
    found = hosts_of(files, user=getpass.getuser())
    assert list(found) == [join(hdfs_dir, "a b%1")]
    (blocks,) = found.values()
    assert [(block.start, block.length) for block in blocks] == [(0, 1024), (1024, 1024), (2048, 452)]
    assert all(block.hosts for block in blocks)
