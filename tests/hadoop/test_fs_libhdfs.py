"""The file system contract with data through libhdfs, which is compiled here from its sources."""

from __future__ import annotations

import os
from collections.abc import Iterator

import libhdfs_build
import pytest
from contract_fs import FileSystemContract
from minihadoop import MiniHadoop
from minihadoop.jars import library

from xlearning.config import Config
from xlearning.fs import FileSystem, FileSystems
from xlearning.fs.libhdfs import LibhdfsFileSystem

pytestmark = pytest.mark.hadoop


@pytest.fixture(scope="module")
def through_libhdfs(hadoop: MiniHadoop) -> Iterator[None]:
    environ = hadoop.env(dict(os.environ))
    with pytest.MonkeyPatch.context() as patch:
        jars = sorted(map(str, library(hadoop.version).glob("*.jar")))
        patch.setenv("CLASSPATH", ":".join([environ["HADOOP_CONF_DIR"], *jars]))
        patch.setenv("ARROW_LIBHDFS_DIR", str(libhdfs_build.built(environ["JAVA_HOME"])))
        patch.setenv("JAVA_HOME", environ["JAVA_HOME"])
        patch.setenv("LIBHDFS_OPTS", "-Xmx128m -Xrs")
        yield


@pytest.fixture
def root(hdfs_dir: str) -> str:
    return hdfs_dir.rstrip("/")


@pytest.mark.usefixtures("through_libhdfs")
class TestLibhdfs(FileSystemContract):
    @pytest.fixture
    def fs(self, root: str) -> FileSystem:
        config = Config.from_properties({"xlearning.fs.hdfs.client": "libhdfs"})
        found = FileSystems(config=config).of(root)
        assert isinstance(found, LibhdfsFileSystem)
        return found
