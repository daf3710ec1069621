"""The file system contract with data through libhdfs, which is compiled here from its sources."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from contract_fs import FileSystemContract
from minihadoop import MiniHadoop
from minihadoop.jars import library

from xlearning.config import Config
from xlearning.fs import FileSystem, FileSystems
from xlearning.fs.libhdfs import LibhdfsFileSystem

pytestmark = pytest.mark.hadoop
_CRATE = 'hdfs-sys = "=0.3.1"'


def build(java_home: str) -> Path:
    """Folder with ``libhdfs.so``, kept between runs; the crate hdfs-sys carries Hadoop's sources."""
    folder = (
        Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "xlearning-tests" / "libhdfs-3.3"
    )
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "libhdfs.so").exists():
            _compile(folder, _sources(folder), Path(java_home))
    return folder


def _sources(folder: Path) -> Path:
    crate = folder / "crate"
    (crate / "src").mkdir(parents=True, exist_ok=True)
    (crate / "src" / "lib.rs").write_text("")
    (crate / "Cargo.toml").write_text(
        f'[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{_CRATE}\n'
    )
    subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=crate, check=True, stdout=subprocess.DEVNULL)
    return crate / "vendor" / "hdfs-sys" / "libhdfs"


def _compile(folder: Path, sources: Path, java: Path) -> None:
    version = sources / "hdfs_3_3"
    places = [sources, version, version / "include", version / "include" / "hdfs", version / "os"]
    places += [version / "os" / "posix", java / "include", java / "include" / "linux"]
    files = [*version.glob("*.c"), *(version / "os" / "posix").glob("*.c")]
    jvm = java / "lib" / "server"
    command = [
        "gcc",
        "-w",
        "-O1",
        "-shared",
        "-fPIC",
        "-fcommon",
        "-D_GNU_SOURCE",
        *(f"-I{p}" for p in places),
    ]
    command += [*map(str, files), "-o", str(folder / "new.so"), f"-L{jvm}", "-ljvm", f"-Wl,-rpath,{jvm}"]
    subprocess.run(command, check=True)
    (folder / "new.so").rename(folder / "libhdfs.so")


@pytest.fixture(scope="module")
def through_libhdfs(hadoop: MiniHadoop) -> Iterator[None]:
    missing = [name for name in ("cargo", "gcc") if shutil.which(name) is None]
    if missing:
        words = f"LIBHDFS IS NOT TESTED: no {' and '.join(missing)}, which build it"
        if os.environ.get("CI") == "true":
            pytest.fail(words, pytrace=False)
        pytest.skip(words)
    environ = hadoop.env(dict(os.environ))
    with pytest.MonkeyPatch.context() as patch:
        jars = sorted(map(str, library(hadoop.version).glob("*.jar")))
        patch.setenv("CLASSPATH", ":".join([environ["HADOOP_CONF_DIR"], *jars]))
        patch.setenv("ARROW_LIBHDFS_DIR", str(build(environ["JAVA_HOME"])))
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
