"""The file system protocol: what local disks, HDFS and later object stores have in common.

Paths are full URIs and **not** percent-encoded: ``hdfs://nn:9000/data/a b=1%/é``,
``file:///tmp/x``. The bytes after the authority are the path, as the user would type it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol, runtime_checkable

from xlearning.errors import StorageError


@dataclass(frozen=True)
class FileStatus:
    """One file or folder.

    Attributes
    ----------
    path : str
        Full URI.
    size : int
        Bytes; 0 for a folder.
    modified : float
        Seconds since 1970.
    mode : int
        Permission bits, such as 0o700.
    block_size : int
        Bytes of a block of this file; 0 for a folder and where a file system has no blocks.
    special : str
        What it is, in words, where it is neither a file nor a folder: a pipe, a device.
    """

    path: str
    size: int
    is_dir: bool
    modified: float
    owner: str = ""
    mode: int = 0
    block_size: int = 0
    special: str = ""

    @property
    def name(self) -> str:
        """The last component of the path; empty for the root."""
        return split_uri(self.path)[2].rstrip("/").rpartition("/")[2]


class FileSystem(Protocol):
    """One file system. Implementations are safe to use from several threads.

    Attributes
    ----------
    whole_on_close : bool
        A file that is being written is not there before it is complete, and what it replaces stays
        until then: it needs no temporary name.

    All methods raise the built-in `FileNotFoundError`, `FileExistsError`, `IsADirectoryError`,
    `NotADirectoryError` and `PermissionError` with the URI in the message;
    `xlearning.errors.StorageUnavailable` when the service does not answer within the deadline;
    `xlearning.errors.StorageError` for the rest.
    """

    whole_on_close: bool

    def stat(self, path: str) -> FileStatus:
        """Status of one path; `FileNotFoundError` when there is none."""

    def glob(self, pattern: str) -> list[FileStatus]:
        """Matches of a Hadoop glob (``* ? [a-c] [^x] {a,b} \\c``), sorted; a plain path matches itself."""

    def list(self, path: str) -> list[FileStatus]:
        """Children of a folder, sorted by path. A file lists as itself."""

    def walk(self, path: str) -> Iterator[FileStatus]:
        """Every file (not folder) below ``path``, depth first, sorted; a file walks as itself."""

    def open_read(self, path: str) -> BinaryIO:
        """A buffered, seekable reader with ``readinto`` and line iteration."""

    def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
        """A buffered writer; parents are made. `FileExistsError` unless ``overwrite``.

        The file is complete only once ``close`` has returned without an error. When a ``with`` block
        ends by an exception the file is not completed: what others then see of it is undefined, and
        writing it again with ``overwrite`` or deleting it puts that right.
        """

    def mkdirs(self, path: str, *, mode: int | None = None) -> None:
        """Make a folder and its parents; no error when it is there already.

        ``mode`` is for the last component only, is independent of the umask, and leaves a folder
        that is already there as it is. `FileExistsError` when ``path`` is a file.
        """

    def rename(self, source: str, target: str) -> None:
        """Move a file or folder, atomically, to a name that must not exist.

        Raises `FileExistsError` when ``target`` exists, `FileNotFoundError` when ``source`` or the
        parent of ``target`` does not.
        """

    def replace(self, source: str, target: str) -> None:
        """Move a *file* over another file, atomically; ``target`` need not exist.

        Raises `IsADirectoryError` when either of them is a folder.
        """

    def delete(self, path: str, *, recursive: bool = False) -> bool:
        """Delete; False when nothing was there. A folder with children needs ``recursive``."""

    def chmod(self, path: str, mode: int) -> None:
        """Set the permission bits."""


@runtime_checkable
class ObjectStore(Protocol):
    """A file system that moves by copying, which a crash may interrupt: so it can be repeated."""

    def move_over(self, source: str, target: str) -> None:
        """Move a file or all below a folder, over what is there; nothing is deleted before all is copied.

        Raises
        ------
        FileNotFoundError
            Neither ``source`` nor ``target`` is there.
        """


class Undeletable(StorageError):
    """What a mount table makes: it stays."""


def exists(fs: FileSystem, path: str) -> bool:
    """Whether ``path`` is there. Errors other than "missing" are raised, not taken for an answer."""
    try:
        fs.stat(path)
    except FileNotFoundError:
        return False
    return True


def walk_by_listing(fs: FileSystem, path: str) -> Iterator[FileStatus]:
    """`FileSystem.walk` for file systems that list one folder at a time."""
    levels = [iter(fs.list(path))]  # no recursion: programs make trees that are too deep for it
    while levels:
        status = next(levels[-1], None)
        if status is None:
            levels.pop()
        elif status.is_dir:
            levels.append(iter(fs.list(status.path)))
        else:
            yield status


def join(base: str, *names: str) -> str:
    """``base`` with ``names`` below it."""
    return "/".join((_trimmed(base), *(name.strip("/") for name in names if name)))


def parent(uri: str) -> str:
    """The folder that holds ``uri``; the root is its own parent."""
    scheme, authority, path = split_uri(uri)
    head = path.rstrip("/").rpartition("/")[0] or "/"
    return f"{scheme}://{authority}{head}" if scheme else head


def _trimmed(uri: str) -> str:
    """``uri`` without slashes at its end; those of ``file://`` stay."""
    scheme, authority, path = split_uri(uri)
    return f"{scheme}://{authority}{path.rstrip('/')}" if scheme else uri.rstrip("/")


def split_uri(uri: str) -> tuple[str, str, str]:
    """``(scheme, authority, path)`` of a full URI; scheme and authority may be empty.

    Unlike `urllib.parse`, ``#``, ``?`` and ``%`` in the path are ordinary characters, as in Hadoop's Path.
    """
    scheme, sep, rest = uri.partition("://")
    if not sep or "/" in scheme:
        return "", "", uri
    authority, slash, path = rest.partition("/")
    return scheme, authority, slash + path
