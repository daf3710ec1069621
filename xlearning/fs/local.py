"""The local file system behind ``file://`` URIs."""

from __future__ import annotations

import errno
import functools
import os
import shutil
import stat as modes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from xlearning.errors import StorageError
from xlearning.fs.base import FileStatus, join, split_uri
from xlearning.fs.glob import glob
from xlearning.fs.noreplace import rename_noreplace
from xlearning.trees import remove_tree

_BUILT_IN = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)
_BUFFER = 1 << 20  # bytes


class _Level(NamedTuple):
    """A folder in which a walk is."""

    identity: tuple[int, int]  # device and inode
    entries: Iterator[FileStatus]


class LocalFileSystem:
    """Files of this machine; see `FileSystem` for the methods.

    Symbolic links are followed, except by `rename` and `delete`, which act on the link itself. A link
    that leads nowhere is listed as a file of its own size.
    """

    whole_on_close = False

    def stat(self, path: str) -> FileStatus:
        local = local_path(path)
        with _errors(path):
            return _status(_uri(local), _found(local))

    def glob(self, pattern: str) -> list[FileStatus]:
        return glob(pattern, self.stat, self.list)

    def list(self, path: str) -> list[FileStatus]:
        local = local_path(path)
        with _errors(path):
            own = _found(local)
            if not modes.S_ISDIR(own.st_mode):
                return [_status(_uri(local), own)]
            with os.scandir(local) as entries:
                found = [_entry_status(_uri(local), entry) for entry in entries]
        return sorted((status for status in found if status), key=lambda status: status.path)

    def walk(self, path: str) -> Iterator[FileStatus]:
        levels = [self._enter(path, ())]  # no recursion: programs make trees that are too deep for it
        while levels:
            status = next(levels[-1].entries, None)
            if status is None:
                levels.pop()
            elif status.is_dir:
                levels.append(self._enter(status.path, levels))
            else:
                yield status

    def _enter(self, path: str, above: Sequence[_Level]) -> _Level:
        with _errors(path):
            own = _found(local_path(path))
        identity = (own.st_dev, own.st_ino)
        if any(level.identity == identity for level in above):
            raise StorageError(f"{path}: is a symbolic link to a folder above itself")
        return _Level(identity, iter(self.list(path)))

    def open_read(self, path: str) -> BinaryIO:
        local = local_path(path)
        with _errors(path):
            _refuse_special(local, path)
            file = open(local, "rb", buffering=_BUFFER, opener=_without_waiting)  # noqa: SIM115 - the caller's
            if not modes.S_ISREG(os.fstat(file.fileno()).st_mode):  # put there after the look
                file.close()
                raise StorageError(f"{path} is not a file")
            return file

    def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
        local = local_path(path)
        with _errors(path):
            _make_parents(local)
            if overwrite and Path(local).exists():
                _refuse_special(local, path)
            return open(local, "wb" if overwrite else "xb", buffering=_BUFFER)

    def mkdirs(self, path: str, *, mode: int | None = None) -> None:
        folder = Path(local_path(path))
        with _errors(path):
            if folder.is_dir():
                return
            _make_parents(str(folder))
            try:
                folder.mkdir(0o777 if mode is None else mode & 0o700)
            except FileExistsError:
                if not folder.is_dir():
                    raise
                return
            if mode is not None:
                folder.chmod(mode)

    def rename(self, source: str, target: str) -> None:
        old, new = local_path(source), local_path(target)
        with _errors(source, target):
            rename_noreplace(old, new)

    def replace(self, source: str, target: str) -> None:
        old, new = local_path(source), local_path(target)
        with _errors(source, target):
            for local in (old, new):
                if Path(local).is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), local)
            Path(old).replace(new)

    def delete(self, path: str, *, recursive: bool = False) -> bool:
        local = local_path(path)
        if local == "/":
            raise StorageError("the root of a file system cannot be deleted")
        with _errors(path):
            try:
                if not modes.S_ISDIR(os.lstat(local).st_mode):
                    Path(local).unlink()
                elif recursive:
                    _delete_tree(local)
                else:
                    Path(local).rmdir()
            except (FileNotFoundError, NotADirectoryError):
                return False
        return True

    def chmod(self, path: str, mode: int) -> None:
        with _errors(path):
            Path(local_path(path)).chmod(mode)


def _delete_tree(local: str) -> None:
    try:
        shutil.rmtree(local)
    except (RecursionError, OSError) as error:  # it takes a frame and an open file for each level
        if isinstance(error, OSError) and error.errno != errno.EMFILE:
            raise
        remove_tree(Path(local))


def local_path(uri: str) -> str:
    """The absolute path of this machine behind a ``file`` URI (or behind an absolute path).

    Raises
    ------
    StorageError
        The URI is of another file system, names another host, or is not absolute.
    """
    scheme, authority, path = split_uri(uri)
    if scheme not in ("", "file") or authority not in ("", "localhost"):
        raise StorageError(f"{uri} is not a file of this machine")
    if "\0" in path or (path and not path.startswith("/")):
        raise StorageError(f"{uri!r} is not an absolute path")
    return "/" + path.strip("/")


def _uri(local: str) -> str:
    return f"file://{local}"


def _status(uri: str, found: os.stat_result) -> FileStatus:
    folder = modes.S_ISDIR(found.st_mode)
    return FileStatus(
        path=uri,
        size=0 if folder else found.st_size,
        is_dir=folder,
        modified=found.st_mtime,
        owner=owner_name(found.st_uid),
        mode=modes.S_IMODE(found.st_mode),
        special=_special(found.st_mode),
    )


def _entry_status(folder: str, entry: os.DirEntry[str]) -> FileStatus | None:
    """Status of a listed entry; None when it was deleted meanwhile."""
    for follow in (True, False):
        try:
            return _status(join(folder, entry.name), entry.stat(follow_symlinks=follow))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ELOOP):
                raise
    return None


@functools.lru_cache(maxsize=1024)
def owner_name(uid: int) -> str:
    """The account of a user id; the number where it has none."""
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _found(local: str) -> os.stat_result:
    try:
        return Path(local).stat()
    except NotADirectoryError as error:  # below a file, so there is nothing
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), local) from error


def _make_parents(local: str) -> None:
    """Make all folders above, one after the other: there may be more than Python calls itself."""
    above = Path(local).parent
    missing = [above]
    try:
        while not missing[-1].exists():
            missing.append(missing[-1].parent)
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(above)) from error


def _without_waiting(local: str, flags: int) -> int:
    """Open a file, also a pipe that nobody writes to."""
    return os.open(local, flags | os.O_NONBLOCK)


def _refuse_special(local: str, uri: str) -> None:
    """A pipe or a device would block its reader for ever."""
    special = _special(_found(local).st_mode)
    if special:
        raise StorageError(f"{uri} is a {special}, not a file")


def _special(mode: int) -> str:
    # a link that leads nowhere is listed as a file
    ordinary = modes.S_ISREG(mode) or modes.S_ISDIR(mode) or modes.S_ISLNK(mode)
    return "" if ordinary else special_kind(mode)


def special_kind(mode: int) -> str:
    """What a path is that is neither file nor folder, in words."""
    kinds = (
        (modes.S_ISFIFO, "named pipe"),
        (modes.S_ISSOCK, "socket"),
        (modes.S_ISBLK, "block device"),
        (modes.S_ISCHR, "character device"),
    )
    return next((words for test, words in kinds if test(mode)), "special file")


@contextmanager
def _errors(*uris: str) -> Iterator[None]:
    """Turn errors of the system into those of the protocol, with the URI in place of the path."""
    shown = " -> ".join(uris)
    try:
        yield
    except StorageError:
        raise
    except _BUILT_IN as error:
        raise type(error)(error.errno, error.strerror, shown) from error
    except OSError as error:
        failure = StorageError(f"{shown}: {error.strerror or error}")
        failure.errno = error.errno
        raise failure from error
