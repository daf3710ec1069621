"""HDFS with its data read and written by libhdfs, Hadoop's own client; pyarrow's only door to it.

Names stay with hdfs-native, for pyarrow shows neither permission bits nor a rename that refuses what is
there. libhdfs starts a JVM in this process, which stays to its end and does not survive a fork.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar, cast

from xlearning.errors import StorageError, StorageUnavailable, UsageError
from xlearning.fs.base import parent
from xlearning.fs.native import HdfsFileSystem
from xlearning.fs.streams import CHUNK, RangeReader, WholeWriter

T = TypeVar("T")

_HINT = (
    "it needs Java, Hadoop's jars on CLASSPATH or the command `hadoop`, and libhdfs.so in ARROW_LIBHDFS_DIR "
    "or HADOOP_HOME/lib/native; or leave xlearning.fs.hdfs.client at NATIVE"
)
_class_path = threading.Lock()


class LibhdfsFileSystem(HdfsFileSystem):
    """One HDFS; see `HdfsFileSystem`."""

    def __init__(self, uri: str, *, timeout: float = 15.0) -> None:
        super().__init__(uri, timeout=timeout)
        self._arrow: Any = None
        self._arrow_lock = threading.Lock()

    def open_read(self, path: str) -> BinaryIO:
        status, bare = self.stat(path), self._bare(path)
        if status.is_dir:
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        inner = self._through(path, lambda system: system.open_input_file(bare))

        def read_range(offset: int, length: int) -> bytes:
            data: bytes = self._data(path, lambda: inner.read_at(length, offset))
            return data

        return cast(BinaryIO, io.BufferedReader(_Reader(read_range, status.size, inner.close), CHUNK))

    def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
        bare, above = self._bare(path), parent(path.rstrip("/"))
        there = self._status_of(path)
        if there is not None and not overwrite:
            raise FileExistsError(errno.EEXIST, "it is there already", path)
        if there is not None and there.is_dir:
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        try:
            self.mkdirs(above)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, "is a file, not a folder", above) from None
        inner = self._through(path, lambda system: system.open_output_stream(bare))
        return cast(BinaryIO, WholeWriter(_Sink(self, path, inner), f"{self._base}{bare}"))

    def _status_of(self, path: str) -> Any:
        try:
            return self.stat(path)
        except FileNotFoundError:
            return None

    def _through(self, path: str, action: Callable[[Any], T]) -> T:
        system = self._system()
        return self._data(path, lambda: action(system))

    def _data(self, path: str, action: Callable[[], T]) -> T:
        def translated() -> T:
            try:
                return action()
            except (FileNotFoundError, FileExistsError, PermissionError) as error:
                raise type(error)(error.errno, str(error), path) from error
            except OSError as error:
                # libhdfs says why on stderr only; EIO is what it makes of most of Java's exceptions
                kind = StorageUnavailable if error.errno in (None, errno.EIO, 255) else StorageError
                raise kind(f"{path}: {error}") from error

        return self._data_call(path, translated)

    def _system(self) -> Any:
        self._fork.check()
        with self._arrow_lock:
            if self._arrow is None:
                self._arrow = self._connect()
            return self._arrow

    def _connect(self) -> Any:
        if sys.modules.get("ssl", sys) is None:
            del sys.modules["ssl"]  # agents do without it, but pyarrow looks for certificates while it loads
        try:
            from pyarrow.fs import HadoopFileSystem
        except ImportError as error:
            raise UsageError(
                f"libhdfs is reached through the package pyarrow, which cannot be used here: {error}",
                hint="pip install 'xlearning[libhdfs]'",
            ) from None
        set_class_path()
        host, _, port = self._address.partition(":")
        try:
            return self._caller.call(lambda: HadoopFileSystem(host, int(port or 0)), self._timeout + 30)
        except OSError as error:
            why = str(error).partition("\n")[0]  # then come all places where a library was looked for
            raise StorageError(f"libhdfs cannot be used for {self._base}: {why}", hint=_HINT) from error


class _Reader(RangeReader):
    def __init__(self, read_range: Callable[[int, int], bytes], size: int, close: Callable[[], None]) -> None:
        super().__init__(read_range, size)
        self._close_inner = close

    def close(self) -> None:
        if not self.closed:
            self._close_inner()
        super().close()


class _Sink:
    def __init__(self, fs: LibhdfsFileSystem, path: str, inner: Any) -> None:
        self._fs, self._path, self._inner = fs, path, inner

    def write(self, data: bytes) -> None:
        self._fs._data(self._path, lambda: self._inner.write(data))

    def close(self) -> None:
        self._fs._data(self._path, self._inner.close)

    def abort(self) -> None:
        """Nothing: HDFS lets a file that nobody completes stay as it is."""


def set_class_path() -> None:
    """Put Hadoop's jars, one by one, on CLASSPATH, which the JVM in this process reads once.

    Raises
    ------
    UsageError
        The command ``hadoop`` fails.
    """
    with _class_path:
        if ".jar" in os.environ.get("CLASSPATH", ""):
            return
        home = os.environ.get("HADOOP_HOME", "")
        program = shutil.which("hadoop") or (f"{home}/bin/hadoop" if home else "")
        if not program or not os.access(program, os.X_OK):
            raise UsageError("libhdfs finds no Hadoop: CLASSPATH names no jar", hint=_HINT)
        told = subprocess.run([program, "classpath", "--glob"], capture_output=True, text=True, check=False)
        if told.returncode:
            raise UsageError(f"`{program} classpath --glob` failed: {told.stderr.strip()[:500]}", hint=_HINT)
        os.environ["CLASSPATH"] = told.stdout.strip()
