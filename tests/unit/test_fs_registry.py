"""URIs and the choice of a file system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.config import hadoop_xml
from xlearning.errors import ConfigError, UsageError
from xlearning.fs import FileSystems, default_uri_from_conf, join, parent, split_uri
from xlearning.fs.local import LocalFileSystem, local_path
from xlearning.fs.native import HdfsFileSystem

HDFS = "hdfs://nn:9000"
NAME = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
NAMES = st.lists(NAME.filter(lambda name: name not in (".", "..")), min_size=1, max_size=4)


@given(st.sampled_from([HDFS, "file://", "viewfs://c"]), NAMES)
def test_paths_are_taken_as_they_are(base: str, names: list[str]) -> None:
    uri = join(base, *names)
    scheme, authority, path = split_uri(uri)
    assert (f"{scheme}://{authority}", path) == (base, "/" + "/".join(names))
    assert FileSystems().resolve(uri) == uri
    assert FileSystems(base).resolve(path) == uri
    assert join(parent(uri), names[-1]) == uri
    if base == "file://":
        assert local_path(uri) == path


def test_join_and_parent_at_the_root() -> None:
    assert join("file:///", "a") == "file:///a"
    assert join(HDFS, "a", "", "/b/") == f"{HDFS}/a/b"
    assert join("/a/", "b") == "/a/b"
    assert parent(f"{HDFS}/a") == parent(f"{HDFS}/") == f"{HDFS}/"
    assert parent("file:///a/b/") == "file:///a"
    assert parent("/a") == "/"


def test_resolve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HADOOP_USER_NAME", "ada")
    local, remote = FileSystems("file://"), FileSystems(f"{HDFS}/ignored")
    assert local.resolve("a b/../c#%") == f"file://{tmp_path}/c#%"
    assert local.resolve("file:/x") == local.resolve("file://localhost/x") == "file:///x"
    assert remote.resolve("data/*.csv") == f"{HDFS}/user/ada/data/*.csv"
    assert (
        remote.resolve("/data")
        == remote.resolve("hdfs:///data")
        == remote.resolve("hdfs:/data")
        == f"{HDFS}/data"
    )
    assert remote.resolve("hdfs://other:1/a") == "hdfs://other:1/a"
    assert remote.resolve("file:///x") == "file:///x"
    assert remote.resolve("viewfs:///x") == "viewfs:///x"


@pytest.mark.parametrize(
    ("base", "values", "folder"),
    [
        (HDFS, {"dfs.user.home.dir.prefix": "/homes/all"}, "homes/all/ada/x"),
        ("viewfs://v", {"fs.viewfs.mounttable.v.homedir": "/homes"}, "homes/ada/x"),
        ("viewfs://v", {"fs.viewfs.mounttable.v.homedir": "/"}, "ada/x"),
        ("viewfs://", {"fs.viewfs.mounttable.default.homedir": "/homes"}, "homes/ada/x"),
        ("viewfs://v", {"dfs.user.home.dir.prefix": "/homes"}, "user/ada/x"),
    ],
)
def test_homes_lie_where_hadoop_has_them(
    base: str, values: dict[str, str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hadoop_xml.write(tmp_path / "core-site.xml", values)
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    assert FileSystems(base, user="ada").resolve("x") == f"{base}/{folder}"


def test_of_chooses_and_remembers() -> None:
    fss = FileSystems(HDFS)
    assert isinstance(fss.of("file:///a"), LocalFileSystem)
    assert isinstance(fss.of("hdfs://nn:9000/a"), HdfsFileSystem)
    assert fss.of("hdfs://nn:9000/a") is fss.of("/b") is fss.of("hdfs:///c") is fss.default
    assert fss.of("hdfs://nn:9001/a") is not fss.default


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("gs://b/k", "no file system for"),
        ("s3a:///k", "names no bucket"),
        ("hdfs:///a", "names no host"),
        ("file://host/a", "names a host"),
    ],
)
def test_what_cannot_be_used(uri: str, words: str) -> None:
    for action in (FileSystems().of, FileSystems().resolve):
        with pytest.raises(UsageError, match=words):
            action(uri)


def test_bad_default() -> None:
    with pytest.raises(UsageError, match="no file system for 'gs://b'"):
        FileSystems("gs://b")


@pytest.mark.parametrize(
    ("properties", "wanted"),
    [
        ("<property><name> fs.defaultFS </name><value> hdfs://nn:1 </value></property>", "hdfs://nn:1"),
        ('<property name="fs.defaultFS" value="hdfs://nn:2"/>', "hdfs://nn:2"),
        ("<property><name>fs.default.name</name><value>hdfs://old:3</value></property>", "hdfs://old:3"),
        ("<property><name>fs.defaultFS</name><value/></property>", None),
        ("<property><name>other</name><value>x</value></property>", None),
    ],
)
def test_default_from_hadoop_configuration(tmp_path: Path, properties: str, wanted: str | None) -> None:
    (tmp_path / "core-site.xml").write_text(f"<configuration>{properties}</configuration>")
    assert default_uri_from_conf(tmp_path) == wanted


def test_no_hadoop_configuration(tmp_path: Path) -> None:
    assert default_uri_from_conf(tmp_path) is None
    (tmp_path / "core-site.xml").write_text("<configuration>")
    with pytest.raises(ConfigError, match=r"core-site\.xml"):
        default_uri_from_conf(tmp_path)


def test_hdfs_native_is_not_loaded_for_local_files() -> None:
    script = """
import sys
import xlearning.fs.transfer
from xlearning.fs import FileSystems
fss = FileSystems("hdfs://nn:1")
fss.of("file:///tmp").list("file:///tmp")
fss.of("hdfs://nn:1/")
print(sorted({"hdfs_native", "tenacity", "asyncio", "ctypes"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_a_uri_without_a_host_takes_that_of_the_hadoop_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fs = "<property><name>fs.defaultFS</name><value>hdfs://nn:9000</value></property>"
    (tmp_path / "core-site.xml").write_text(f"<configuration>{fs}</configuration>")
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    assert FileSystems("file://").resolve("hdfs:///a/b") == "hdfs://nn:9000/a/b"
    monkeypatch.delenv("HADOOP_CONF_DIR")
    with pytest.raises(UsageError, match="set HADOOP_CONF_DIR"):
        FileSystems("file://").resolve("hdfs:///a/b")
