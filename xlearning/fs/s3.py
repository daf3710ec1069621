"""``s3://`` and ``s3a://``: objects with slashes in their names, shown as files in folders.

A folder is there while an object lies below it, or while it has a marker, an empty object whose name ends
with a slash, as Hadoop's S3A makes them. There are no owners and no permission bits, and moving is
copying: what needs an atomic rename belongs elsewhere, see `S3FileSystem.move_over`.
"""

from __future__ import annotations

import errno
import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, BinaryIO, cast

from xlearning.errors import StorageError
from xlearning.fs.base import FileStatus, join, parent, split_uri
from xlearning.fs.glob import glob
from xlearning.fs.s3_calls import S3Calls
from xlearning.fs.s3_copies import Copier
from xlearning.fs.s3_settings import S3Settings
from xlearning.fs.s3_upload import S3Sink
from xlearning.fs.streams import RangeReader, WholeWriter

_READ_AHEAD = 4 * 2**20  # bytes
_DELETED_AT_ONCE = 1000


class S3FileSystem:
    """One bucket; see `FileSystem` for the methods. It never makes a bucket.

    Parameters
    ----------
    uri : str
        Any URI of the bucket: ``s3a://bucket/...``.
    settings : S3Settings
    timeout : float
        Seconds to wait for a connection.
    """

    whole_on_close = True

    def __init__(self, uri: str, settings: S3Settings, *, timeout: float = 15.0) -> None:
        scheme, self._bucket, _ = split_uri(uri)
        self._base = f"{scheme}://{self._bucket}"
        self._part_size = settings.part_size
        self._calls = S3Calls(settings, timeout=timeout)
        self._copier = Copier(self._calls, self._bucket)

    # ---- looking --------------------------------------------------------------------------------

    def stat(self, path: str) -> FileStatus:
        key = self._key(path)
        found = self._file(path, key) if key and not path.endswith("/") else None
        if found is not None:
            return found
        if not self._is_folder(path, key):
            raise FileNotFoundError(errno.ENOENT, "no such file or folder", path)
        return self._folder_status(self._uri(key))

    def glob(self, pattern: str) -> list[FileStatus]:
        self._check_owner(pattern)
        return glob(pattern, self.stat, self.list)

    def list(self, path: str) -> list[FileStatus]:
        key = self._key(path)
        prefix, found, there = _prefix(key), [], not key
        for page in self._pages(path, prefix, delimiter="/"):
            for item in page.get("Contents", ()):
                there = True
                if item["Key"] != prefix:
                    found.append(self._object_status(item))
            for item in page.get("CommonPrefixes", ()):
                found.append(self._folder_status(self._uri(self._named(item["Prefix"][:-1]))))
        if found or there:
            return sorted(found, key=lambda status: status.path)
        own = self.stat(path)
        return [] if own.is_dir else [own]

    def walk(self, path: str) -> Iterator[FileStatus]:
        key = self._key(path)
        prefix, found, there = _prefix(key), [], not key
        for page in self._pages(path, prefix):
            for item in page.get("Contents", ()):
                there = True
                if not item["Key"].endswith("/"):
                    found.append(self._object_status(item))
                elif item["Size"]:
                    raise StorageError(f"{self._uri(item['Key'])} has the name of a folder, but holds bytes")
        if there:
            yield from sorted(found, key=lambda status: status.path.split("/"))
        else:
            yield self.stat(path)

    # ---- reading and writing --------------------------------------------------------------------

    def open_read(self, path: str) -> BinaryIO:
        status, key = self.stat(path), self._key(path)
        if status.is_dir:
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)

        def read_range(offset: int, length: int) -> bytes:
            span = f"bytes={offset}-{offset + length - 1}"
            return self._calls.read(path, Bucket=self._bucket, Key=key, Range=span)

        reader = RangeReader(read_range, status.size, _READ_AHEAD)
        return cast(BinaryIO, io.BufferedReader(reader, _READ_AHEAD))

    def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
        key = self._key(path)
        if not overwrite and self._there(path):
            raise FileExistsError(errno.EEXIST, "it is there already", path)
        if not key or self._is_folder(path, key):
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        sink = S3Sink(self._calls, path, self._bucket, key, self._part_size, overwrite=overwrite)
        return cast(BinaryIO, WholeWriter(sink, self._uri(key)))

    def mkdirs(self, path: str, *, mode: int | None = None) -> None:
        if mode is not None:
            raise StorageError(f"{path}: S3 has no permission bits, so a folder cannot be kept from others")
        key = self._key(path)
        try:
            if self.stat(path.rstrip("/")).is_dir:
                return
        except FileNotFoundError:
            self._calls.call(path, "put_object", Bucket=self._bucket, Key=_prefix(key), Body=b"")
        else:
            raise FileExistsError(errno.EEXIST, "is a file", path)

    def chmod(self, path: str, mode: int) -> None:  # noqa: ARG002
        self.stat(path)
        raise StorageError(f"{path}: S3 has no permission bits")

    # ---- moving and deleting --------------------------------------------------------------------

    def rename(self, source: str, target: str) -> None:
        """As the protocol says, but not atomic: a copy, then a deletion."""
        old, new = self._key(source), self._key(target)
        self.stat(source)
        if self._there(target):
            raise FileExistsError(errno.EEXIST, "it is there already", target)
        if not old or new.startswith(_prefix(old)):
            raise StorageError(f"{source} cannot be moved into itself: {target}")
        self._check_parent(target)
        self.move_over(source, target)

    def replace(self, source: str, target: str) -> None:
        """As the protocol says, but not atomic: a copy, then a deletion."""
        if self.stat(source).is_dir or (self._there(target) and self.stat(target).is_dir):
            raise IsADirectoryError(errno.EISDIR, "a folder neither replaces nor is replaced", target)
        self._check_parent(target)
        self.move_over(source, target)

    def move_over(self, source: str, target: str) -> None:
        """Move a file or everything below a folder, over what is at ``target``.

        Everything is copied before anything is deleted, so it may be interrupted at any place and
        repeated, also by somebody else at the same time.

        Raises
        ------
        FileNotFoundError
            There is neither ``source`` nor ``target``.
        """
        old, new = self._key(source), self._key(target)
        sizes = {
            item["Key"]: item["Size"]
            for page in self._pages(source, _prefix(old))
            for item in page.get("Contents", ())
        }
        own = self._file(source, old)
        if own is not None:
            sizes[old] = own.size
        if not sizes and not self._there(target):
            raise FileNotFoundError(errno.ENOENT, "no such file or folder", source)
        self._copier.copy(source, {key: (new + key[len(old) :], size) for key, size in sizes.items()})
        self._delete(source, [*sizes])

    def delete(self, path: str, *, recursive: bool = False) -> bool:
        key = self._key(path)
        if not key:
            raise StorageError("the root of a bucket cannot be deleted")
        keys = [i["Key"] for page in self._pages(path, _prefix(key)) for i in page.get("Contents", ())]
        if not recursive and any(name != _prefix(key) for name in keys):
            failure = StorageError(f"{path} is a folder that is not empty")
            failure.errno = errno.ENOTEMPTY
            raise failure
        if self._file(path, key) is not None:
            keys.append(key)
        self._delete(path, keys)
        return bool(keys)

    def _delete(self, path: str, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), _DELETED_AT_ONCE):
            wanted = [{"Key": key} for key in keys[start : start + _DELETED_AT_ONCE]]
            answer = self._calls.call(
                path, "delete_objects", Bucket=self._bucket, Delete={"Objects": wanted, "Quiet": True}
            )
            for failed in answer.get("Errors", ()):
                raise StorageError(f"{self._uri(failed['Key'])} could not be deleted: {failed.get('Code')}")

    # ---- small steps ----------------------------------------------------------------------------

    def _there(self, path: str) -> bool:
        try:
            self.stat(path)
        except FileNotFoundError:
            return False
        return True

    def _check_parent(self, path: str) -> None:
        above = parent(path)
        if not self.stat(above).is_dir:
            raise NotADirectoryError(errno.ENOTDIR, "is a file, not a folder", above)

    def _file(self, path: str, key: str) -> FileStatus | None:
        """The object of exactly this name; None when there is none."""
        try:
            said = self._calls.call(path, "head_object", Bucket=self._bucket, Key=key)
        except FileNotFoundError:
            return None
        except PermissionError:
            # the answer to HEAD has no words; that to a listing says what is refused
            self._calls.call(path, "list_objects_v2", Bucket=self._bucket, Prefix=key, MaxKeys=1)
            raise
        return FileStatus(self._uri(key), said["ContentLength"], False, _seconds(said["LastModified"]))

    def _is_folder(self, path: str, key: str) -> bool:
        said = self._calls.call(path, "list_objects_v2", Bucket=self._bucket, Prefix=_prefix(key), MaxKeys=1)
        return not key or bool(said.get("Contents"))

    def _pages(self, path: str, prefix: str, **more: str) -> Iterator[dict[str, Any]]:
        arguments: dict[str, Any] = {"Bucket": self._bucket, "Prefix": prefix}
        if more:
            arguments["Delimiter"] = more["delimiter"]
        while True:
            page = self._calls.call(path, "list_objects_v2", **arguments)
            yield page
            if not page.get("IsTruncated"):
                return
            arguments["ContinuationToken"] = page["NextContinuationToken"]

    def _object_status(self, item: dict[str, Any]) -> FileStatus:
        uri = self._uri(self._named(item["Key"]))
        return FileStatus(uri, item["Size"], False, _seconds(item["LastModified"]))

    def _folder_status(self, uri: str) -> FileStatus:
        return FileStatus(uri, 0, True, 0.0)

    def _named(self, key: str) -> str:
        if "//" in f"/{key}/":
            raise StorageError(f"{self._base}/{key}: an object with // in its name cannot be a file")
        return key

    def _uri(self, key: str) -> str:
        return join(self._base, key) if key else f"{self._base}/"

    def _key(self, path: str) -> str:
        self._check_owner(path)
        key = split_uri(path)[2].strip("/")
        try:
            key.encode()
        except UnicodeEncodeError:
            raise StorageError(f"{path!r}: S3 takes only names that are valid UTF-8") from None
        return self._named(key) if key else key

    def _check_owner(self, path: str) -> None:
        scheme, authority, _ = split_uri(path)
        if f"{scheme}://{authority}" != self._base:
            raise StorageError(f"{path} is not on {self._base}")


def _prefix(key: str) -> str:
    return f"{key}/" if key else ""


def _seconds(moment: datetime) -> float:
    return moment.timestamp()
