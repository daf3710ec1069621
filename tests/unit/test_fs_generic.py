"""File systems of fsspec: the contract in memory, and files of a web server."""

from __future__ import annotations

import functools
import http.server
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from contract_fs import FileSystemContract, read, write

from xlearning.config import Config
from xlearning.errors import StorageError, UsageError
from xlearning.fs import FileSystem, FileSystems, exists
from xlearning.fs.generic import FsspecFileSystem

DATA = b"".join(b"line %d\n" % number for number in range(100_000))


class TestMemory(FileSystemContract):
    has_modes = False
    atomic = False

    @pytest.fixture
    def fs(self) -> FileSystem:
        return FsspecFileSystem("memory://", {})

    @pytest.fixture
    def root(self, fs: FileSystem) -> Iterator[str]:
        folder = f"memory:///root-{uuid.uuid4().hex}"
        fs.mkdirs(folder)
        yield folder
        fs.delete(folder, recursive=True)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing on stderr."""

    def end_headers(self) -> None:
        if "nosize" in self.path:
            self._headers_buffer = [one for one in self._headers_buffer if b"Content-Length" not in one]
        super().end_headers()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "web"
    folder.mkdir()
    (folder / "file").write_bytes(DATA)
    (folder / "nosize").write_bytes(DATA)
    make = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), make) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_a_web_server_is_read_only(web: str) -> None:
    fss = FileSystems(config=Config.from_properties({"xlearning.fs.fsspec.schemes": "http"}))
    fs = fss.of(web)
    assert fs.stat(f"{web}/file").size == len(DATA)
    assert read(fs, f"{web}/file") == DATA
    with fs.open_read(f"{web}/file") as stream:
        stream.seek(500_000)
        assert stream.read(1000) == DATA[500_000:501_000]
        stream.seek(5)
        assert stream.readline() == b"0\n"
    assert not exists(fs, f"{web}/none")
    for change in (lambda path: write(fs, path, overwrite=True), fs.mkdirs, fs.delete):
        with pytest.raises(StorageError, match="read only"):
            change(f"{web}/file" if change == fs.delete else f"{web}/new")


def test_a_size_that_is_not_told_is_an_error(web: str) -> None:
    with pytest.raises(StorageError, match="does not tell its size"):
        FsspecFileSystem(web, {}).stat(f"{web}/nosize")


def test_schemes_are_known_by_configuration() -> None:
    with pytest.raises(UsageError, match=r"xlearning\.fs\.fsspec\.schemes"):
        FileSystems().of("memory:///x")
    config = Config.from_properties({"xlearning.fs.fsspec.schemes": "memory, nonsense"})
    fss = FileSystems(config=config)
    write(fss.of("memory:///x"), "memory:///x", b"1")
    assert read(fss.of("memory:///x"), "memory:///x") == b"1"
    assert fss.of("memory:///x").delete("memory:///x")
    with pytest.raises(UsageError, match="nonsense"):
        fss.of("nonsense://x").stat("nonsense://x/y")


def test_options_are_given_with_their_types() -> None:
    config = Config.from_properties(
        {
            "xlearning.fs.fsspec.schemes": "sftp",
            "xlearning.fs.fsspec.sftp.port": "22",
            "xlearning.fs.fsspec.sftp.password": "123",
            "xlearning.fs.fsspec.sftp.username": "me",
        }
    )
    fs = FileSystems(config=config).of("sftp://host/x")
    assert isinstance(fs, FsspecFileSystem)
    assert fs._options == {"port": 22, "password": "123", "username": "me"}


def test_a_fault_of_the_library_is_not_read_only() -> None:
    fs = FsspecFileSystem("memory://", {})
    with pytest.raises(StorageError, match="'int' object has no attribute 'x'"):
        fs._change("memory:///a", lambda _, __: getattr(1, "x"))  # noqa: B009
    with pytest.raises(StorageError, match="can be read only"):
        fs._change("memory:///a", lambda system, _: system.no_such_method)
