"""``viewfs://``: one tree of names over folders of several file systems, by Hadoop's mount table.

Paths are resolved here, not by hdfs-native, which refuses every table without a fallback and reads no
``xi:include``, where mount tables usually are.
"""

from __future__ import annotations

import dataclasses
import errno
import posixpath
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

from xlearning.errors import ConfigError, StorageError
from xlearning.fs.base import FileStatus, FileSystem, Undeletable, join, split_uri, walk_by_listing
from xlearning.fs.glob import glob
from xlearning.fs.hadoop_conf import HadoopConf

T = TypeVar("T")

_PREFIX = "fs.viewfs.mounttable."
_DEFAULT_NAME = "default"
_TARGETS = ("hdfs", "file")  # what moves files by renaming them
_READ_ONLY = 0o555


class MountTable:
    """Which folder of another file system stands behind which path.

    Parameters
    ----------
    name : str
        What stands after ``viewfs://``; empty for the default table.
    site : HadoopConf

    Raises
    ------
    ConfigError
        The configuration has no such table, or it has links by regular expression, which may match any path.
    """

    def __init__(self, name: str, site: HadoopConf) -> None:
        self.name = name or site.get(f"{_PREFIX}default.name.key", _DEFAULT_NAME)
        prefix = f"{_PREFIX}{self.name}."
        self._links: dict[str, str] = {}
        self._odd: dict[str, str] = {}  # path -> what the link is called
        for key in site.names(prefix):
            kind, _, path = key.removeprefix(prefix).partition(".")
            if kind == "linkRegex":
                raise ConfigError(
                    f"the mount table of viewfs://{self.name} cannot be served: {key}",
                    hint="links lead from a path to one folder with a full address",
                )
            if kind in ("linkFallback", "linkMergeSlash"):
                self._add("/", site.get(key), key)
            elif kind == "link" and path.startswith("/"):
                self._add(_normal(path), site.get(key), key)
            elif kind.startswith("link"):
                self._add(_normal(path.partition("/")[2]), "", key)
        if not self._links:
            raise ConfigError(
                f"there is no mount table for viewfs://{self.name}",
                hint=f"{prefix}link./PATH belongs into core-site.xml in HADOOP_CONF_DIR",
            )

    def _add(self, path: str, target: str, key: str) -> None:
        self._links[path] = target
        if split_uri(target)[0] not in _TARGETS:
            self._odd[path] = key

    def resolve(self, path: str) -> str | None:
        """URI of what stands behind an absolute path; None where nothing is mounted.

        Raises
        ------
        StorageError
            What is mounted there is no single folder on HDFS or a disk.
        """
        mounted = self._mount_of(path)
        if mounted in self._odd:
            link = f"{self._odd[mounted]}={self._links[mounted]}".rstrip("=")
            raise StorageError(
                f"viewfs://{self.name}{path} lies behind {link}, which cannot be served",
                hint="links lead from a path to one folder with a full address; name the folder itself",
            )
        return None if mounted is None else self._behind(mounted, path)

    def elsewhere(self, path: str) -> str | None:
        """URI of what stands behind an absolute path on a file system that a view cannot serve, as S3."""
        mounted = self._mount_of(path)
        if mounted is None or mounted not in self._odd or not split_uri(self._links[mounted])[0]:
            return None
        return self._behind(mounted, path)

    def authorities(self) -> list[str]:
        """``host:port`` or nameservice of each HDFS that a link leads to, sorted."""
        return sorted(
            {split_uri(target)[1] for target in self._links.values() if split_uri(target)[0] == "hdfs"}
        )

    def _mount_of(self, path: str) -> str | None:
        while path not in self._links:
            if path == "/":
                return None
            path = posixpath.dirname(path)
        return path

    def _behind(self, mounted: str, path: str) -> str:
        below = path[len(mounted) :] if mounted != "/" else path
        return join(self._links[mounted], below) if below.strip("/") else self._links[mounted]

    def children(self, path: str) -> list[str]:
        """Names that the table itself puts into the folder ``path``, sorted."""
        prefix = path.rstrip("/") + "/"
        below = (link[len(prefix) :] for link in self._links if link.startswith(prefix))
        return sorted({rest.partition("/")[0] for rest in below if rest})

    def is_fixed(self, path: str) -> bool:
        """Whether the table itself makes ``path`` a folder: a mount, or what is above of one."""
        return path == "/" or path in self._links or bool(self.children(path))


class ViewFileSystem:
    """One view; see `FileSystem` for the methods. What the mount table itself makes cannot be changed.

    Parameters
    ----------
    uri : str
        Any URI of the view: ``viewfs://name``.
    site : HadoopConf
        Where the mount table is; it is read by the first call.
    of : callable
        The file system of a URI.
    """

    whole_on_close = False

    def __init__(self, uri: str, site: Callable[[], HadoopConf], of: Callable[[str], FileSystem]) -> None:
        self._name = split_uri(uri)[1]
        self._base = f"viewfs://{self._name}"
        self._site, self._of = site, of
        self._made: MountTable | None = None

    def stat(self, path: str) -> FileStatus:
        bare = self._bare(path)
        target = self._table.resolve(bare)
        if target is None or (self._table.children(bare) and not self._is_there(target)):
            return self._folder(bare, path)
        return self._seen(self._of(target).stat(target), bare)

    def glob(self, pattern: str) -> list[FileStatus]:
        self._check_owner(pattern)
        return glob(pattern, self.stat, self.list)

    def list(self, path: str) -> list[FileStatus]:
        bare = self._bare(path)
        target, names = self._table.resolve(bare), self._table.children(bare)
        found = {name: self._folder(posixpath.join(bare, name), path) for name in names}
        if target is None and not names:
            raise _missing(path)
        if target is not None and (not names or self._is_there(target)):
            for status in self._of(target).list(target):
                if status.path == target:
                    return [self._seen(status, bare)]
                found.setdefault(status.name, self._seen(status, posixpath.join(bare, status.name)))
        return sorted(found.values(), key=lambda status: status.path)

    def walk(self, path: str) -> Iterator[FileStatus]:
        return walk_by_listing(self, path)

    def open_read(self, path: str) -> BinaryIO:
        if self._table.is_fixed(self._bare(path)):
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        return self._at(path, lambda fs, target: fs.open_read(target))

    def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
        if self._table.is_fixed(self._bare(path)):
            kind = IsADirectoryError if overwrite else FileExistsError
            raise kind(errno.EISDIR if overwrite else errno.EEXIST, "is a folder", path)
        return self._at(path, lambda fs, target: fs.open_write(target, overwrite=overwrite), new=True)

    def mkdirs(self, path: str, *, mode: int | None = None) -> None:
        bare = self._bare(path)
        if self._table.resolve(bare) is None and self._table.is_fixed(bare):
            return
        self._at(path, lambda fs, target: fs.mkdirs(target, mode=mode), new=True)

    def rename(self, source: str, target: str) -> None:
        self._move(source, target, lambda fs, old, new: fs.rename(old, new))

    def replace(self, source: str, target: str) -> None:
        self._move(source, target, lambda fs, old, new: fs.replace(old, new))

    def delete(self, path: str, *, recursive: bool = False) -> bool:
        bare = self._bare(path)
        if self._table.is_fixed(bare):
            what = "the root of a file system" if bare == "/" else f"{path}, which the mount table makes,"
            raise Undeletable(f"{what} cannot be deleted")
        target = self._table.resolve(bare)
        return target is not None and self._of(target).delete(target, recursive=recursive)

    def chmod(self, path: str, mode: int) -> None:
        self._at(path, lambda fs, target: fs.chmod(target, mode))

    def behind(self, path: str) -> str | None:
        """URI of what stands behind ``path``; None where nothing is mounted."""
        return self._table.resolve(self._bare(path))

    def elsewhere(self, path: str) -> str | None:
        """See `MountTable.elsewhere`; None where there is no table."""
        try:
            return self._table.elsewhere(self._bare(path))
        except StorageError:  # told by whoever uses the path
            return None

    def holds_mounts(self, path: str) -> bool:
        """Whether the table puts anything below ``path``; then not all of it is on one file system."""
        return bool(self._table.children(self._bare(path)))

    @property
    def _table(self) -> MountTable:
        if self._made is None:
            try:
                self._made = MountTable(self._name, self._site())
            except ConfigError as error:
                raise StorageError(error.message, hint=error.hint) from error
        return self._made

    def _move(self, source: str, target: str, action: Callable[[FileSystem, str, str], None]) -> None:
        old, new = self.behind(source), self.behind(target)
        if old is None:
            raise _missing(source)
        if new is None:
            raise _outside(target)
        for path in (source, target):
            if self._table.is_fixed(self._bare(path)):
                raise FileExistsError(errno.EEXIST, "the mount table makes this folder", path)
        fs = self._of(old)
        if self._of(new) is not fs:
            raise StorageError(f"{source} cannot be moved to {target}: they lie on different file systems")
        action(fs, old, new)

    def _at(self, path: str, action: Callable[[FileSystem, str], T], *, new: bool = False) -> T:
        target = self.behind(path)
        if target is None:
            raise _outside(path) if new else _missing(path)
        return action(self._of(target), target)

    def _is_there(self, target: str) -> bool:
        try:
            return self._of(target).stat(target).is_dir
        except FileNotFoundError:
            return False

    def _folder(self, bare: str, path: str) -> FileStatus:
        if not self._table.is_fixed(bare):
            raise _missing(path)
        return FileStatus(self._base + bare, 0, True, 0.0, mode=_READ_ONLY)

    def _seen(self, status: FileStatus, bare: str) -> FileStatus:
        return dataclasses.replace(status, path=self._base + bare)

    def _bare(self, path: str) -> str:
        self._check_owner(path)
        return _normal(split_uri(path)[2] or "/")

    def _check_owner(self, path: str) -> None:
        scheme, authority, _ = split_uri(path)
        if scheme and f"{scheme}://{authority}" != self._base:
            raise StorageError(f"{path} is not on {self._base}")


def _normal(path: str) -> str:
    return "/" + posixpath.normpath(path).lstrip("/")


def _missing(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "no such file or folder", path)


def _outside(path: str) -> PermissionError:
    return PermissionError(errno.EACCES, "lies outside of all mounts of its view", path)
