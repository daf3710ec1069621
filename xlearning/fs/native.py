"""HDFS through hdfs-native: ``hdfs://`` without a JVM. The only door to that library.

Every call runs in a daemon thread with a deadline, for hdfs-native can hang for minutes. A call that was
given up may still take effect later; whoever repeats one must allow for that.
"""

from __future__ import annotations

import errno
import io
import posixpath
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, TypeVar, cast

from xlearning.errors import StorageError, StorageUnavailable
from xlearning.fs.base import FileStatus, join, parent, split_uri, walk_by_listing
from xlearning.fs.deadline import DeadlineCaller, DeadlineExceeded
from xlearning.fs.forks import ForkGuard
from xlearning.fs.glob import glob
from xlearning.fs.hadoop_conf import HadoopConf
from xlearning.fs.native_errors import hint, translate
from xlearning.fs.streams import CHUNK, RangeReader, WholeWriter

if TYPE_CHECKING:
    import hdfs_native

T = TypeVar("T")

DEFAULT_PORT = 8020
_SLOTS = 64
# hdfs-native itself waits 60 s for a silent DataNode and then asks the next one
_DATA_PATIENCE = 60.0
_PARENT_MODE = 0o755
_BATCH = 1000  # entries of a folder, as many as one answer of the NameNode holds


class HdfsFileSystem:
    """One HDFS; see `FileSystem` for the methods.

    Nothing is contacted, and hdfs-native is not imported, before the first call.

    Parameters
    ----------
    uri : str
        Any URI of the file system: ``hdfs://host:port`` or ``hdfs://nameservice``, which needs
        HADOOP_CONF_DIR; ``hdfs://host`` means port 8020 unless a nameservice of that name is configured.
    timeout : float
        Seconds after which a call is given up. Reading, writing and completing a file get 60 s more.
    """

    whole_on_close = False

    def __init__(self, uri: str, *, timeout: float = 15.0) -> None:
        self._address = split_uri(uri)[1]
        self._base = f"hdfs://{self._address}"
        self._timeout = timeout
        self._caller = DeadlineCaller(f"hdfs-{self._address}", _SLOTS)
        self._lock = threading.Lock()
        self._made: hdfs_native.Client | None = None
        self._fork = ForkGuard("an HdfsFileSystem")

    def stat(self, path: str) -> FileStatus:
        bare = self._bare(path)
        found = self._find(path, lambda client: client.get_file_info(bare))
        return _status(self._base + bare, found)

    def glob(self, pattern: str) -> list[FileStatus]:
        self._check_owner(pattern)
        return glob(pattern, self.stat, self.list)

    def list(self, path: str) -> list[FileStatus]:
        bare = self._bare(path)
        entries = self._find(path, lambda client: client.list_status(bare))
        found: list[hdfs_native.FileStatus] = []
        while len(found) % _BATCH == 0:  # the deadline is for a batch, for a folder may hold millions
            batch = self._find(path, lambda _: [*islice(entries, _BATCH)])
            if not batch:
                break
            found += batch
        if len(found) == 1 and not found[0].isdir and _ends_alike(found[0].path, bare):
            own = self.stat(path)
            if not own.is_dir:
                return [own]
        folder = self._base + bare
        statuses = [_status(join(folder, posixpath.basename(item.path)), item) for item in found]
        return sorted(statuses, key=lambda status: status.path)

    def walk(self, path: str) -> Iterator[FileStatus]:
        return walk_by_listing(self, path)

    def open_read(self, path: str) -> BinaryIO:
        bare = self._bare(path)
        inner = self._find(path, lambda client: client.read(bare))

        def read_range(offset: int, length: int) -> bytes:
            return self._data_call(path, lambda: inner.read_range(offset, length))

        def read_on(offset: int) -> Callable[[int], bytes]:
            packets = inner.read_range_stream(offset, len(inner) - offset)
            return lambda length: self._data_call(path, lambda: _joined(packets, length))

        return cast(BinaryIO, io.BufferedReader(RangeReader(read_range, len(inner), read_on=read_on), CHUNK))

    def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
        bare = self._bare(path)

        def create(client: hdfs_native.Client) -> hdfs_native.FileWriter:
            from hdfs_native import WriteOptions

            return client.create(bare, WriteOptions(overwrite=overwrite, create_parent=True))

        try:
            inner = self._call(path, create)
        except FileExistsError as error:
            if not overwrite:
                raise
            raise IsADirectoryError(*_as_args(error)) from error
        return cast(BinaryIO, WholeWriter(_Sink(self, path, inner), self._base + bare))

    def mkdirs(self, path: str, *, mode: int | None = None) -> None:
        bare = self._bare(path)
        if mode is None:
            self._call(path, lambda client: client.mkdirs(bare, _PARENT_MODE, True))
            return
        above = self._bare(parent(path.rstrip("/")))

        def make(client: hdfs_native.Client) -> None:
            client.mkdirs(above, _PARENT_MODE, True)
            client.mkdirs(bare, mode, False)

        self._call(path, make)

    def rename(self, source: str, target: str) -> None:
        self._rename(source, target, overwrite=False)

    def replace(self, source: str, target: str) -> None:
        if self.stat(source).is_dir:
            raise IsADirectoryError(errno.EISDIR, "a folder cannot replace anything", source)
        try:
            self._rename(source, target, overwrite=True)
        except FileExistsError as error:
            raise IsADirectoryError(*_as_args(error)) from error

    def delete(self, path: str, *, recursive: bool = False) -> bool:
        bare = self._bare(path)
        if bare == "/":
            raise StorageError("the root of a file system cannot be deleted")
        try:
            return self._call(path, lambda client: client.delete(bare, recursive))
        except NotADirectoryError:
            return False

    def chmod(self, path: str, mode: int) -> None:
        bare = self._bare(path)
        self._call(path, lambda client: client.set_permission(bare, mode))

    def _rename(self, source: str, target: str, *, overwrite: bool) -> None:
        old, new = self._bare(source), self._bare(target)
        self._call(f"{source} -> {target}", lambda client: client.rename(old, new, overwrite))

    def _find(self, path: str, action: Callable[[hdfs_native.Client], T]) -> T:
        try:
            return self._call(path, action)
        except NotADirectoryError as error:  # below a file, so there is nothing
            raise FileNotFoundError(errno.ENOENT, "no such file or folder", path) from error

    def _data_call(self, path: str, action: Callable[[], T]) -> T:
        return self._guarded(path, action, self._timeout + _DATA_PATIENCE, data=True)

    def _call(self, path: str, action: Callable[[hdfs_native.Client], T]) -> T:
        return self._guarded(path, lambda: action(self._client()), self._timeout)

    def _guarded(self, path: str, action: Callable[[], T], timeout: float, *, data: bool = False) -> T:
        def translated() -> T:
            try:
                return action()
            except BaseException as error:
                # also hdfs-native's PanicException, which is no Exception
                raise translate(error, path, self._address, data=data) from error

        self._fork.check()
        try:
            return self._caller.call(translated, timeout)
        except DeadlineExceeded:
            raise StorageUnavailable(
                f"HDFS at {self._address} did not answer within {timeout:g} s", hint=hint(self._address)
            ) from None

    def _client(self) -> hdfs_native.Client:
        with self._lock:
            if self._made is None:
                self._made = _connect(self._base)
            return self._made

    def _bare(self, path: str) -> str:
        """The path as hdfs-native wants it: without scheme and host, normal, absolute."""
        self._check_owner(path)
        bare = split_uri(path)[2] or "/"
        try:
            bare.encode()
        except UnicodeEncodeError:
            raise StorageError(f"{path!r}: HDFS takes only names that are valid UTF-8") from None
        if not bare.startswith("/") or "\0" in bare:
            raise StorageError(f"{path!r} is not an absolute path")
        return "/" + posixpath.normpath(bare).lstrip("/")

    def _check_owner(self, path: str) -> None:
        scheme, authority, _ = split_uri(path)
        if scheme and f"{scheme}://{authority}" != self._base:
            raise StorageError(f"{path} is not on {self._base}")


class _Sink:
    def __init__(self, fs: HdfsFileSystem, path: str, inner: hdfs_native.FileWriter) -> None:
        self._fs, self._path, self._inner = fs, path, inner

    def write(self, data: bytes) -> None:
        self._fs._data_call(self._path, lambda: self._inner.write(data))

    def close(self) -> None:
        self._fs._data_call(self._path, self._inner.close)

    def abort(self) -> None:
        """Nothing: HDFS lets a file that nobody completes stay as it is."""


def _connect(base: str) -> hdfs_native.Client:
    from hdfs_native import Client

    authority = split_uri(base)[1]
    # hdfs-native itself leaves out what files include by xi:include, such as nameservices
    settings = HadoopConf.of_environment().all()
    if ":" in authority:
        # hdfs-native would repeat a refused connection for minutes, long after its caller has given up
        return Client(base, settings | {"dfs.client.failover.max.attempts": "0"})
    try:
        return Client(base, settings)
    except RuntimeError as error:
        if "No NameNode hosts found" in str(error):
            return _connect(f"{base}:{DEFAULT_PORT}")
        raise


def _status(path: str, found: hdfs_native.FileStatus) -> FileStatus:
    return FileStatus(
        path=path,
        size=0 if found.isdir else found.length,
        is_dir=found.isdir,
        modified=found.modification_time / 1000,
        owner=found.owner,
        mode=found.permission,
        block_size=found.blocksize or 0,
    )


def _ends_alike(path: str, bare: str) -> bool:
    return posixpath.basename(path) == posixpath.basename(bare)


def _joined(packets: Iterator[bytes], length: int) -> bytes:
    """At least ``length`` bytes, if there are so many."""
    parts: list[bytes] = []
    while length > 0 and (packet := next(packets, b"")):
        parts.append(packet)
        length -= len(packet)
    return b"".join(parts)


def _as_args(error: OSError) -> tuple[int | None, str, object]:
    return error.errno, error.strerror or "", error.filename
