"""Any other scheme through fsspec, where the configuration asks for it. The only door to that library.

What fsspec's file systems promise differs, so little is taken for granted: a size that is not known is
an error, moving is not atomic, and one that cannot write says so.
"""

from __future__ import annotations

import errno
import io
import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO, TypeVar, cast

from xlearning.config.confidential import is_secret
from xlearning.errors import StorageError, StorageUnavailable, UsageError
from xlearning.fs.base import FileStatus, join, parent, split_uri, walk_by_listing
from xlearning.fs.forks import ForkGuard
from xlearning.fs.glob import glob
from xlearning.fs.streams import RangeReader, WholeWriter

log = logging.getLogger(__name__)

T = TypeVar("T")

_CHUNK = 4 * 2**20  # bytes
_TIMES = ("mtime", "modified", "LastModified", "last_modified", "created")
_BUILT_IN = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


class FsspecFileSystem:
    """One of fsspec's file systems; see `FileSystem` for the methods.

    Parameters
    ----------
    uri : str
        Any URI of it.
    options : mapping
        What fsspec's class is called with. Values that are JSON numbers or booleans become such, except
        those of secrets.
    """

    whole_on_close = False

    def __init__(self, uri: str, options: Mapping[str, str]) -> None:
        self._scheme, authority, _ = split_uri(uri)
        self._base = f"{self._scheme}://{authority}"
        self._options = {name: _typed(name, text) for name, text in options.items()}
        self._lock = threading.Lock()
        self._made: Any = None
        self._fork = ForkGuard("an FsspecFileSystem")

    # ---- looking --------------------------------------------------------------------------------

    def stat(self, path: str) -> FileStatus:
        self._check_owner(path)
        return self._status(path, self._call(path, lambda fs, name: fs.info(name)))

    def glob(self, pattern: str) -> list[FileStatus]:
        self._check_owner(pattern)
        return glob(pattern, self.stat, self.list)

    def list(self, path: str) -> list[FileStatus]:
        own = self.stat(path)
        if not own.is_dir:
            return [own]
        entries = self._call(path, lambda fs, name: fs.ls(name, detail=True))
        found = [self._status(join(own.path, _last(entry["name"])), entry) for entry in entries]
        return sorted(found, key=lambda status: status.path)

    def walk(self, path: str) -> Iterator[FileStatus]:
        return walk_by_listing(self, path)

    # ---- reading and writing --------------------------------------------------------------------

    def open_read(self, path: str) -> BinaryIO:
        status = self.stat(path)
        if status.is_dir:
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        raw = _Raw(self, path, status.size)
        return cast(BinaryIO, io.BufferedReader(raw, _CHUNK))

    def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
        self._change(path, lambda _, __: None)
        there = self._find(path)
        if there is not None and not overwrite:
            raise FileExistsError(errno.EEXIST, "it is there already", path)
        if there is not None and there.is_dir:
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        self._check_above(path)
        self.mkdirs(parent(path))
        inner = self._change(path, lambda fs, name: fs.open(name, "wb", block_size=_CHUNK))
        return cast(BinaryIO, WholeWriter(_Sink(self, path, inner), path))

    def mkdirs(self, path: str, *, mode: int | None = None) -> None:
        self._refuse_mode(path, mode)
        there = self._find(path)
        if there is not None and there.is_dir:
            return
        if there is not None:
            raise FileExistsError(errno.EEXIST, "is a file", path)
        self._check_above(path)
        self._change(path, lambda fs, name: fs.makedirs(name, exist_ok=True))

    def chmod(self, path: str, mode: int) -> None:
        self.stat(path)
        self._refuse_mode(path, mode)

    # ---- moving and deleting --------------------------------------------------------------------

    def rename(self, source: str, target: str) -> None:
        """As the protocol says, but two who do it at once may both believe that they were the first."""
        self.stat(source)
        if self._find(target) is not None:
            raise FileExistsError(errno.EEXIST, "it is there already", target)
        if target.startswith(f"{join(source)}/"):
            raise StorageError(f"{source} cannot be moved into itself: {target}")
        self._move(source, target)

    def replace(self, source: str, target: str) -> None:
        """As the protocol says, but perhaps not atomic."""
        there = self._find(target)
        if self.stat(source).is_dir or (there is not None and there.is_dir):
            raise IsADirectoryError(errno.EISDIR, "a folder neither replaces nor is replaced", target)
        self._move(source, target)

    def delete(self, path: str, *, recursive: bool = False) -> bool:
        there = self._find(path)
        if split_uri(path)[2].strip("/") == "":
            raise StorageError("the root of a file system cannot be deleted")
        if there is None:
            return False
        if there.is_dir and not recursive and self.list(path):
            failure = StorageError(f"{path} is a folder that is not empty")
            failure.errno = errno.ENOTEMPTY
            raise failure
        self._change(path, lambda fs, name: fs.rm(name, recursive=there.is_dir))
        return True

    def _move(self, source: str, target: str) -> None:
        if not self.stat(parent(target)).is_dir:
            raise NotADirectoryError(errno.ENOTDIR, "is a file, not a folder", parent(target))
        new = self._bare(target)
        # without recursive=True some of them copy folders only half
        whole = self.stat(source).is_dir
        self._change(source, lambda fs, name: fs.mv(name, new, recursive=whole))

    # ---- small steps ----------------------------------------------------------------------------

    def _find(self, path: str) -> FileStatus | None:
        try:
            return self.stat(path)
        except FileNotFoundError:
            return None

    def _check_above(self, path: str) -> None:
        above = parent(path)
        while above != parent(above):
            found = self._find(above)
            if found is not None and found.is_dir:
                return
            if found is not None:
                raise NotADirectoryError(errno.ENOTDIR, "is a file, not a folder", above)
            above = parent(above)

    def _refuse_mode(self, path: str, mode: int | None) -> None:
        if mode is not None:
            raise StorageError(f"{path}: {self._scheme}:// has no permission bits that could be set")

    def _status(self, path: str, said: Mapping[str, Any]) -> FileStatus:
        is_dir = said.get("type") == "directory"
        size = 0 if is_dir else said.get("size")
        if size is None:
            raise StorageError(
                f"{path}: {self._scheme}:// does not tell its size",
                hint="copy the file to a file system that does, such as HDFS",
            )
        trimmed = join(self._base, split_uri(path)[2].strip("/")) if split_uri(path)[2].strip("/") else path
        return FileStatus(trimmed, int(size), is_dir, _modified(said))

    def _bare(self, path: str) -> str:
        self._check_owner(path)
        name: str = self._system()._strip_protocol(path)
        return name

    def _check_owner(self, path: str) -> None:
        scheme, authority, _ = split_uri(path)
        if f"{scheme}://{authority}" != self._base:
            raise StorageError(f"{path} is not on {self._base}")

    def _call(self, path: str, action: Callable[[Any, str], T]) -> T:
        name = self._bare(path)
        return self.guarded(path, lambda: action(self._system(), name))

    def _change(self, path: str, action: Callable[[Any, str], T]) -> T:
        if not _can_write(self._system()):
            raise StorageError(f"{path}: {self._scheme}:// can be read only")
        try:
            return self._call(path, action)
        except (NotImplementedError, AttributeError) as error:  # see `guarded`
            raise StorageError(f"{path}: {self._scheme}:// can be read only ({error})") from error

    def guarded(self, path: str, action: Callable[[], T]) -> T:
        """``action()`` with the protocol's errors; `AttributeError` where the library lacks a method."""
        try:
            return action()
        except _BUILT_IN as error:
            raise type(error)(_NUMBERS[type(error)], "no such file or folder, or not so", path) from error
        except (StorageError, NotImplementedError):
            raise
        except AttributeError as error:
            if error.obj is self._made:
                raise
            raise StorageError(f"{path}: {error} (AttributeError)") from error
        except (TimeoutError, ConnectionError) as error:
            raise StorageUnavailable(f"{path}: {self._scheme}:// does not answer: {error}") from error
        except Exception as error:
            raise StorageError(f"{path}: {error or type(error).__name__} ({type(error).__name__})") from error

    def _system(self) -> Any:
        self._fork.check()
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> Any:
        import fsspec

        try:
            kind = fsspec.get_filesystem_class(self._scheme)
            from_uri = kind._get_kwargs_from_urls(f"{self._base}/")
            return kind(**from_uri, **self._options, use_listings_cache=False, skip_instance_cache=True)
        except (ImportError, ValueError, TypeError) as error:
            raise UsageError(
                f"fsspec cannot serve {self._scheme}://: {error}",
                hint="install the package that it names, and see xlearning.fs.fsspec."
                f"{self._scheme}.* for its options",
            ) from error


class _Raw(io.RawIOBase):
    """A seekable stream over one that may not be: then it is opened again to go back."""

    def __init__(self, fs: FsspecFileSystem, path: str, size: int) -> None:
        super().__init__()
        self._fs, self._path, self._size, self._position = fs, path, size, 0
        self._streaming = False
        self._inner = self._open()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    seek = RangeReader.seek

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self._fs.guarded(self._path, lambda: self._read(len(view))) if len(view) else b""
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
        super().close()

    def _open(self) -> Any:
        def opened(fs: Any, name: str) -> Any:
            # what a web server does not say it can do is not tried: some then send the whole file
            web = fs.info(name) if self._fs._scheme in ("http", "https") else {"partial": True}
            self._streaming = not web.get("partial")
            how = {"block_size": 0} if self._streaming else {"cache_type": "none"}
            return fs.open(name, "rb", **how)

        return self._fs._call(self._path, opened)

    def _read(self, wanted: int) -> bytes:
        if self._position >= self._size:
            return b""
        if self._inner.tell() != self._position:
            self._go()
        data: bytes = self._inner.read(min(wanted, self._size - self._position))
        return data

    def _go(self) -> None:
        if not self._streaming:
            self._inner.seek(self._position)
            return
        if self._inner.tell() > self._position:
            self._inner.close()
            self._inner = self._open()
        while (left := self._position - self._inner.tell()) > 0 and self._inner.read(min(left, _CHUNK)):
            pass


class _Sink:
    def __init__(self, fs: FsspecFileSystem, path: str, inner: Any) -> None:
        self._fs, self._path, self._inner = fs, path, inner

    def write(self, data: bytes) -> None:
        self._fs.guarded(self._path, lambda: self._inner.write(data))

    def close(self) -> None:
        self._fs.guarded(self._path, self._inner.close)

    def abort(self) -> None:
        """Where the library can drop it; else what was written stays, as on HDFS."""
        from fsspec.spec import AbstractBufferedFile

        try:
            self._fs.guarded(self._path, getattr(self._inner, "discard", lambda: None))
        except (OSError, NotImplementedError, AttributeError) as error:
            log.warning("what was written of %s could not be dropped: %s", self._path, error)
        if isinstance(self._inner, AbstractBufferedFile):
            self._inner.closed = True  # else its end as an object would complete it


_NUMBERS = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    PermissionError: errno.EACCES,
}


def _typed(name: str, text: str) -> object:
    if is_secret(name):
        return text
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, (bool, int, float)) else text


def _can_write(system: Any) -> bool:
    """Whether fsspec's class makes folders; where it does not, its ``mkdir`` silently does nothing."""
    from fsspec.asyn import AsyncFileSystem
    from fsspec.spec import AbstractFileSystem

    kind = type(system)
    if issubclass(kind, AsyncFileSystem) and kind._mkdir is not AsyncFileSystem._mkdir:
        return True
    return kind.mkdir is not AbstractFileSystem.mkdir


def _last(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def _modified(said: Mapping[str, Any]) -> float:
    for name in _TIMES:
        value = said.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, (int, float)):
            return float(value)
    return 0.0
