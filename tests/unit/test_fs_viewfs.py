"""Hadoop's mount tables: what stands behind a path, which are refused, and the contract on local files."""

from __future__ import annotations

from pathlib import Path

import pytest
from contract_fs import FileSystemContract

from xlearning.errors import ConfigError
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
        ({"v.link./a": "s3a://bucket/a", "v.linkNfly.1./b": ONE}, r"cannot be served: .*linkNfly.*, /a"),
        ({"v.linkRegex.x.^/u": ONE}, "linkRegex"),
        ({"v.link./a": "/no/scheme"}, "/a"),
    ],
)
def test_tables_that_are_refused(links: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        table(**links)


class TestViewOfLocalFiles(FileSystemContract):
    @pytest.fixture
    def root(self) -> str:
        return "viewfs://v/data/mounted"

    @pytest.fixture
    def fs(self, tmp_path: Path) -> FileSystem:
        site = HadoopConf({"fs.viewfs.mounttable.v.link./data/mounted": tmp_path.as_uri()})
        return ViewFileSystem("viewfs://v", lambda: site, FileSystems().of)
