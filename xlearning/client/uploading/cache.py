"""A user's files on the cluster that outlive jobs, named by their content: uploaded once, used by many.

``<staging root>/cache-<user>/<label>-<digest>/<name>`` is never written again: nodes refuse a file that
has changed. When it was used last is told by the name of an empty folder beside it, and its size by
another one.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from xlearning.client.uploading.meter import Meter, Unseen
from xlearning.errors import ClusterError, StorageError, StorageUnavailable
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus, FileSystem, join
from xlearning.fs.retry import Cancelled, keep_trying

HOUR = 3600.0  # seconds
USED, SIZE, DRAFT = "used-", "size-", "draft-"
PRIVATE = 0o700
_HOUR_FORM = "%Y-%m-%dT%H"
_CHUNK = 1 << 20  # bytes


@dataclass(frozen=True)
class Entry:
    """What a file of the cache is.

    Attributes
    ----------
    label : str
        What people see in the name of its folder.
    digest : str
        The same only for the same content.
    name : str
        Of the file; YARN tells by its end how to unpack it.
    sha256 : str
        Of the file's bytes, which are compared with it on their way; empty: they are not.
    """

    label: str
    digest: str
    name: str
    sha256: str = ""


@dataclass(frozen=True)
class Shipment:
    """Where a file is, its size in bytes, and whether it had to be uploaded."""

    uri: str
    size: int
    uploaded: bool


class Cache:
    """The files of one user on the cluster. Safe to use from several threads.

    Parameters
    ----------
    root : str
        URI of the folder of all staging folders.
    now : float
        Seconds since 1970.
    retry_time : float
        Seconds without progress after which an upload is given up.
    """

    def __init__(
        self, fss: FileSystems, root: str, user: str, now: float, *, retry_time: float = 120.0
    ) -> None:
        self.folder = join(root, f"cache-{re.sub(r'[^A-Za-z0-9._-]', '_', user)}")
        self.fs: FileSystem = fss.of(self.folder)
        self.now = now
        self.changed = False  # something was added, or is used for the first time in this hour
        self._user, self._retry_time, self._ready = user, retry_time, False

    def _open(self) -> None:
        """Make the cache's folder, unless that was done.

        Raises
        ------
        xlearning.errors.ClusterError
            It belongs to somebody else, who could put anything there, or cannot be made.
        """
        if self._ready:
            return
        hint = "set xlearning.staging.dir to another folder"
        try:
            self.fs.mkdirs(self.folder, mode=PRIVATE)
            owner = self.fs.stat(self.folder).owner
        except (PermissionError, FileExistsError, NotADirectoryError) as error:
            raise ClusterError(f"{self.folder} cannot be made: {error}", hint=hint) from error
        if owner != self._user.partition("@")[0]:
            raise ClusterError(f"{self.folder} belongs to {owner}, not to {self._user}", hint=hint)
        self._ready = True

    def holds(self, entry: Entry) -> bool:
        """Whether a file is there whole."""
        found = self.look(self._folder_of(entry))
        return any(child.name == entry.name and _is_whole(child, found) for child in found)

    def find(self, entry: Entry) -> Shipment | None:
        """Where a file is, if it is there whole; from now on it counts as used."""
        self._open()
        folder = self._folder_of(entry)
        target = join(folder, entry.name)
        found = self.look(folder)
        if self._touch(folder, found):
            self.changed = True
            found = self.look(folder)  # what was there without the mark may just have been removed
        for child in found:
            if child.name == entry.name:
                if _is_whole(child, found):
                    return Shipment(target, child.size, uploaded=False)
                self.fs.delete(target)
        return None

    def put(
        self,
        entry: Entry,
        source: Path,
        meter: Meter | None = None,
        cancel: threading.Event | None = None,
    ) -> Shipment:
        """Upload ``source`` as what `find` did not find. After a failure `drop` is the caller's.

        Raises
        ------
        xlearning.errors.StorageError
            It changed on the way, or the file system does not take it. No part of it stays.
        xlearning.fs.retry.Cancelled
            ``cancel`` was set.
        """
        folder = self._folder_of(entry)
        target, draft = join(folder, entry.name), join(folder, f"{DRAFT}{uuid.uuid4().hex}")
        sending = _Sending(self.fs, source, entry, draft, meter or Unseen(), cancel or threading.Event())
        self.changed = True
        try:
            size = keep_trying(sending.run, retry_time=self._retry_time, cancel=cancel)
            self.fs.mkdirs(join(folder, f"{SIZE}{size}"), mode=PRIVATE)
            # Whatever happens to an upload, nobody takes a part for the whole.
            self.fs.rename(draft, target)
        except FileExistsError:  # another xl-submit was faster; its file is in use
            self.fs.delete(draft)
        except BaseException:
            with contextlib.suppress(OSError):  # why it failed matters more
                self.fs.delete(draft)
            raise
        return Shipment(target, size, uploaded=True)

    def ship(
        self,
        entry: Entry,
        make: Callable[[], Path],
        meter: Meter | None = None,
        cancel: threading.Event | None = None,
    ) -> Shipment:
        """`find`, else `put` what ``make`` returns."""
        try:
            return self.find(entry) or self.put(entry, make(), meter, cancel)
        except BaseException:
            self.drop(entry)
            raise

    def drop(self, entry: Entry) -> None:
        """Take back the mark of what was looked for and will not be uploaded."""
        folder = self._folder_of(entry)
        with contextlib.suppress(OSError):  # why it will not matters more
            if all(child.name.startswith((USED, SIZE)) for child in self.look(folder)):
                self.fs.delete(folder, recursive=True)

    def look(self, folder: str) -> Sequence[FileStatus]:
        """What is in a folder of the cache; nothing where there is none."""
        try:
            return self.fs.list(folder)
        except FileNotFoundError:
            return []

    def _folder_of(self, entry: Entry) -> str:
        return join(self.folder, f"{entry.label}-{entry.digest}")

    def _touch(self, folder: str, found: Sequence[FileStatus]) -> bool:
        """Mark this hour as one of use; False when it is marked already."""
        now = USED + time.strftime(_HOUR_FORM, time.gmtime(self.now))
        marks = [child for child in found if child.name.startswith(USED)]
        if any(mark.name >= now for mark in marks):
            return False
        self.fs.mkdirs(join(folder, now), mode=PRIVATE)
        for mark in marks:
            self.fs.delete(mark.path)
        return True


def _is_whole(file: FileStatus, beside: Sequence[FileStatus]) -> bool:
    """Whether a file has the size that it was uploaded with; the same content has the same size."""
    return f"{SIZE}{file.size}" in {other.name for other in beside}


def last_use(folder: FileStatus, children: Sequence[FileStatus]) -> float:
    """Seconds since 1970; the end of the hour that is marked."""
    hours = [_seconds(child) for child in children if child.name.startswith(USED)]
    return max((hour + HOUR for hour in hours), default=folder.modified)


def _seconds(mark: FileStatus) -> float:
    import calendar

    try:
        return float(calendar.timegm(time.strptime(mark.name.removeprefix(USED), _HOUR_FORM)))
    except ValueError:
        return mark.modified


class _Sending:
    """One file's way to its draft, through several attempts."""

    def __init__(
        self, fs: FileSystem, source: Path, entry: Entry, draft: str, meter: Meter, cancel: threading.Event
    ) -> None:
        self._fs, self._source, self._entry, self._draft = fs, source, entry, draft
        self._meter, self._cancel = meter, cancel
        self._told = 0

    def run(self) -> int:
        """Bytes that were sent."""
        digest, size = hashlib.sha256(), 0
        with open(self._source, "rb") as reader, self._fs.open_write(self._draft, overwrite=True) as writer:
            for chunk in self._chunks(reader):
                digest.update(chunk)
                writer.write(chunk)
                size += len(chunk)
                self._meter.advance(max(0, size - self._told))
                self._told = max(self._told, size)
        if self._entry.sha256 and digest.hexdigest() != self._entry.sha256:
            raise StorageError(
                f"{self._source} was changed while it was uploaded", hint="submit again when it is complete"
            )
        stored = self._fs.stat(self._draft).size
        if stored != size:
            raise StorageUnavailable(f"{self._draft}: {stored} of {size} bytes were stored")
        return size

    def _chunks(self, reader: BinaryIO) -> Iterator[bytes]:
        while chunk := reader.read(_CHUNK):
            if self._cancel.is_set():
                raise Cancelled("the upload was given up")
            yield chunk
