"""Hadoop's mount tables: what stands behind a path, which are refused, and the contract on local files."""

from __future__ import annotations

from pathlib import Path

import pytest
from contract_fs import FileSystemContract

from xlearning.config import hadoop_xml
from xlearning.errors import ConfigError, StorageError
from xlearning.fs import FileSystem, FileSystems
from xlearning.fs.hadoop_conf import HadoopConf
from xlearning.fs.viewfs import MountTable, ViewFileSystem

ONE, TWO = "hdfs://one:8020", "hdfs://two:8020"


def table(name: str = "v", **links: str) -> MountTable:
    return MountTable(name, HadoopConf({f"fs.viewfs.mounttable.{key}": to for key, to in links.items()}))


VIEW = table(
    **{"v.link./user": f"{ONE}/user", "v.link./data/a/": f"{TWO}/", "v.link./user/deep": f"{TWO}/x/",
       "w.link./other": ONE, "v.homedir": "/home"}
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "behind"),
    [
        ("/user", f"{ONE}/user"),
        ("/user/me/a b%", f"{ONE}/user/me/a b%"),
        ("/users", None),
        ("/user/deep/f", f"{TWO}/x/f"),
        ("/user/deeper", f"{ONE}/user/deeper"),
        ("/data", None),
        ("/data/a", f"{TWO}/"),
        ("/data/a/f", f"{TWO}/f"),
        ("/other", None),
        ("/", None),
    ],
)
def test_what_stands_behind_a_path(path: str, behind: str | None) -> None:
    assert VIEW.resolve(path) == behind


def test_what_the_table_itself_makes() -> None:
    assert VIEW.children("/") == ["data", "user"]
    assert VIEW.children("/user") == ["deep"]
    assert VIEW.children("/data/a") == []
    assert [path for path in ("/", "/data", "/data/a", "/data/b", "/user/me") if VIEW.is_fixed(path)] == [
        *("/", "/data", "/data/a")
    ]


@pytest.mark.parametrize("kind", ["linkFallback", "linkMergeSlash"])
def test_the_rest_is_on_one_file_system(kind: str) -> None:
    view = table(**{"v.link./a": ONE, f"v.{kind}": f"{TWO}/rest"})
    assert [view.resolve(path) for path in ("/", "/b", "/a/b")] == [
        f"{TWO}/rest",
        f"{TWO}/rest/b",
        f"{ONE}/b",
    ]


def test_the_default_table() -> None:
    assert table("", **{"default.link./a": ONE}).resolve("/a") == ONE
    assert table("", **{"default.name.key": "mine", "mine.link./a": TWO}).resolve("/a") == TWO


@pytest.mark.parametrize(
    ("links", "words"),
    [
        ({}, "no mount table for viewfs://v"),
        ({"v.link./a": ONE, "v.linkRegex.x.^/u": ONE}, "cannot be served: .*linkRegex"),
    ],
)
def test_tables_that_are_refused(links: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        table(**links)


@pytest.mark.parametrize(
    ("links", "words", "address"),
    [
        ({"v.link./a": "s3a://bucket/x"}, r"link\./a=s3a://bucket/x, which", "s3a://bucket/x/b"),
        (
            {"v.linkNfly.minReplication=1./a": f"{ONE}/,{TWO}/"},
            r"linkNfly\.minReplication=1\./a,",
            None,
        ),
        ({"v.linkMerge./a": f"{ONE}/,{TWO}/"}, "linkMerge", None),
        ({"v.link./a": "/no/scheme"}, "link./a=/no/scheme", None),
    ],
)
def test_a_link_that_cannot_be_served_disturbs_only_who_uses_it(
    links: dict[str, str], words: str, address: str | None
) -> None:
    view = table(**{"v.link./user": f"{ONE}/user", **links})
    assert view.children("/") == ["a", "user"] and view.resolve("/user/me") == f"{ONE}/user/me"
    assert view.elsewhere("/user/me") is None
    with pytest.raises(StorageError, match=words):
        view.resolve("/a/b")
    assert view.elsewhere("/a/b") == address
    assert view.authorities() == ["one:8020"]


def test_what_lies_on_an_object_store_has_its_own_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = {"link./s3": "s3a://bucket/x", "link./gone": "gs://b", "link./disk": tmp_path.as_uri()}
    hadoop_xml.write(
        tmp_path / "core-site.xml", {f"fs.viewfs.mounttable.v.{name}": to for name, to in links.items()}
    )
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    fss = FileSystems("viewfs://v")
    assert fss.resolve("/s3/in/*.csv") == "s3a://bucket/x/in/*.csv"
    for path in ("/disk/a", "/gone/a", "/"):
        assert fss.resolve(path) == f"viewfs://v{path}"
    assert fss.resolve("viewfs://none/a") == "viewfs://none/a"
    with pytest.raises(StorageError, match="gs://b, which cannot be served"):
        fss.default.stat("viewfs://v/gone/a")
    with pytest.raises(StorageError, match="no mount table for viewfs://none"):
        fss.of("viewfs://none/a").stat("viewfs://none/a")


class TestViewOfLocalFiles(FileSystemContract):
    @pytest.fixture
    def root(self) -> str:
        return "viewfs://v/data/mounted"

    @pytest.fixture
    def fs(self, tmp_path: Path) -> FileSystem:
        site = HadoopConf({"fs.viewfs.mounttable.v.link./data/mounted": tmp_path.as_uri()})
        return ViewFileSystem("viewfs://v", lambda: site, FileSystems().of)
