"""The file system contract on a view of a real HDFS, and what is peculiar to views."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from pathlib import Path

import pytest
from contract_fs import FileSystemContract, names, read, write
from minihadoop import MiniHadoop
from webhdfs import WebHdfs

from xlearning.config import hadoop_xml
from xlearning.errors import StorageError
from xlearning.fs import FileSystem, FileSystems, exists, split_uri
from xlearning.fs.hadoop_conf import HadoopConf
from xlearning.fs.locations import hosts_of

pytestmark = pytest.mark.hadoop


def mount(folder: Path, links: Mapping[str, str]) -> None:
    """A configuration folder whose mount table is, as Hadoop advises, in a file of its own."""
    values = {f"fs.viewfs.mounttable.views.{name}": target for name, target in links.items()}
    hadoop_xml.write(folder / "mountTable.xml", values)
    (folder / "core-site.xml").write_text(
        '<configuration xmlns:xi="http://www.w3.org/2001/XInclude">'
        '<xi:include href="mountTable.xml"/></configuration>'
    )


@pytest.fixture
def root(hdfs_dir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    mount(tmp_path, {"link./data/mounted": hdfs_dir})
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    return "viewfs://views/data/mounted"


@pytest.fixture
def fs(root: str) -> FileSystem:
    return FileSystems().of(root)


@pytest.mark.large
class TestViewFs(FileSystemContract):
    """The contract; `make test` has it on a view of local files, which takes no time."""


def test_what_the_table_makes(fs: FileSystem, root: str) -> None:
    write(fs, f"{root}/file", b"1")
    assert [s.path for s in fs.list("viewfs://views/")] == ["viewfs://views/data"]
    assert names(fs, "viewfs://views", "*/m*/f*") == ["data/mounted/file"]
    assert [s.path for s in fs.walk("viewfs://views/")] == [f"{root}/file"]
    for path in (root, "viewfs://views/data"):
        assert fs.stat(path).is_dir
        fs.mkdirs(path)
        with pytest.raises(IsADirectoryError):
            fs.open_read(path)
        with pytest.raises(StorageError, match="mount table"):
            fs.delete(path, recursive=True)
        with pytest.raises(FileExistsError):
            fs.rename(f"{root}/file", root)
    assert read(fs, f"{root}/file") == b"1"


def test_outside_of_all_mounts(fs: FileSystem, root: str) -> None:
    write(fs, f"{root}/file", b"1")
    for path in ("viewfs://views/other", "viewfs://views/data/x/y"):
        assert not exists(fs, path) and not fs.delete(path) and fs.glob(path) == []
        for change in (fs.open_write, fs.mkdirs, lambda path: fs.rename(f"{root}/file", path)):
            with pytest.raises(PermissionError, match="outside of all mounts"):
                change(path)
        with pytest.raises(FileNotFoundError, match=path):
            fs.open_read(path)


def test_several_file_systems_and_a_fallback(
    hdfs_dir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = tmp_path / "local"
    local.mkdir()
    mount(tmp_path, {"link./a/local": local.as_uri(), "linkFallback": hdfs_dir})
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    fss = FileSystems()
    fs = fss.of("viewfs://views/")
    write(fs, "viewfs://views/a/file", b"1")
    write(fs, "viewfs://views/a/local/file", b"2")
    assert (local / "file").read_bytes() == b"2"
    assert read(fss.of(hdfs_dir), f"{hdfs_dir}/a/file") == b"1"
    assert [s.path for s in fs.walk("viewfs://views/")] == [
        "viewfs://views/a/file",
        "viewfs://views/a/local/file",
    ]
    with pytest.raises(StorageError, match="different file systems"):
        fs.rename("viewfs://views/a/file", "viewfs://views/a/local/moved")


def test_where_blocks_lie(hadoop: MiniHadoop, hdfs_dir: str, root: str, fs: FileSystem) -> None:
    WebHdfs(hadoop.namenode_web).write(f"{split_uri(hdfs_dir)[2]}/file", b"x" * 2500, blocksize=1024)
    values = {"fs.viewfs.mounttable.views.link./data/mounted": hdfs_dir}
    site = HadoopConf(
        {
            **values,
            "fs.defaultFS": hadoop.hdfs_uri,
            "dfs.namenode.http-address": hadoop.namenode_web.partition("//")[2],
        }
    )
    found = hosts_of(fs.list(root), user=getpass.getuser(), conf=site)
    assert [(one.start, one.length) for one in found[f"{root}/file"]] == [
        (0, 1024),
        (1024, 1024),
        (2048, 452),
    ]


def test_a_link_to_a_nameservice_with_one_node_away(
    hadoop: MiniHadoop, hdfs_dir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is configured, as the mount table, in a file that another one includes."""
    prefix, _, path = split_uri(hdfs_dir)
    live, away = hadoop.hdfs_uri.partition("//")[2], "localhost:1"
    mount(tmp_path, {"link./data": f"{prefix}://ns{path}"})
    values = {"dfs.nameservices": "ns", "dfs.ha.namenodes.ns": "a,b", "gone": away}
    values |= {"dfs.namenode.rpc-address.ns.a": "${gone}", "dfs.namenode.rpc-address.ns.b": live}
    values["dfs.namenode.http-address.ns.b"] = hadoop.namenode_web.partition("//")[2]
    hadoop_xml.write(tmp_path / "nodes.xml", values)
    included = (tmp_path / "core-site.xml").read_text().replace("mountTable", "nodes")
    (tmp_path / "hdfs-site.xml").write_text(included)
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    fs = FileSystems().of("viewfs://views/data")
    write(fs, "viewfs://views/data/file", b"1")
    fs.rename("viewfs://views/data/file", "viewfs://views/data/moved")
    assert read(fs, "viewfs://views/data/moved") == b"1"
    (block,) = hosts_of(fs.list("viewfs://views/data"), user=getpass.getuser())["viewfs://views/data/moved"]
    assert block.length == 1 and block.hosts
