"""Brings our package to the cluster: a cache per user on HDFS, or an archive that an administrator put there.

``<staging root>/cache-<user>/<label>-<hash>/package.tar.gz`` is never written again: nodes refuse a file
that has changed. When it was used last is told by the name of an empty folder beside it.
"""

from __future__ import annotations

import re
import shutil
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning.client.packaging.package import Archive
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ClusterError, ConfigError, StorageError
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus, FileSystem, join, parent, split_uri

GIVEN = "xlearning.yarn.archive"
FILE = "package.tar.gz"
KEPT_DAYS = 30
_DAY = 86400.0  # seconds
_USED = "used-"
_SIZE = "size-"
_PRIVATE = 0o700
_MAKE = "xl-submit package --output FILE makes one; hdfs dfs -put FILE brings it to the cluster"


@dataclass(frozen=True)
class Shipment:
    """Where an archive is, its size in bytes, and whether it had to be uploaded."""

    uri: str
    size: int
    uploaded: bool


class Cache:
    """Archives of one user on the cluster.

    Parameters
    ----------
    root : str
        URI of the folder of all staging folders.
    now : float
        Seconds since 1970.
    """

    def __init__(self, fss: FileSystems, root: str, user: str, now: float) -> None:
        self._folder = join(root, f"cache-{re.sub(r'[^A-Za-z0-9._-]', '_', user)}")
        self._fs: FileSystem = fss.of(self._folder)
        self._user, self._now = user, now

    def open(self) -> None:
        """Make the cache's folder.

        Raises
        ------
        xlearning.errors.ClusterError
            It belongs to somebody else, who could put anything there.
        """
        self._fs.mkdirs(self._folder, mode=_PRIVATE)
        owner = self._fs.stat(self._folder).owner
        if owner and owner != self._user.partition("@")[0]:
            raise ClusterError(
                f"{self._folder} belongs to {owner}, not to {self._user}",
                hint="set xlearning.staging.dir to another folder",
            )

    def holds(self, archive: Archive) -> bool:
        """Whether ``archive`` is in the cache already."""
        found = self._look(join(self._folder, f"{archive.label}-{archive.digest}"))
        return any(child.name == FILE and self._whole(child.size, found) for child in found)

    def ship(self, archive: Archive, pack: Callable[[Path], object], work: Path) -> Shipment:
        """Make sure that ``archive`` is in the cache; if it is not, ``pack`` writes it to a path."""
        folder = join(self._folder, f"{archive.label}-{archive.digest}")
        target = join(folder, FILE)
        found = self._look(folder)
        if self._touch(folder, found):
            found = self._look(folder)  # what was there without the mark may just have been removed
        for child in found:
            if child.name == FILE:
                if self._whole(child.size, found):
                    return Shipment(target, child.size, uploaded=False)
                self._fs.delete(target)
        packed = work / f"{archive.label}.tar.gz"
        pack(packed)
        # Whatever happens to the upload, nobody takes a part for the whole.
        draft = join(folder, f"draft-{uuid.uuid4().hex}")
        with open(packed, "rb") as reader, self._fs.open_write(draft) as writer:
            shutil.copyfileobj(reader, writer, 1 << 20)
        self._fs.mkdirs(join(folder, f"{_SIZE}{packed.stat().st_size}"), mode=_PRIVATE)
        try:
            self._fs.rename(draft, target)
        except FileExistsError:  # another xl-submit was faster; its file is in use
            self._fs.delete(draft)
        return Shipment(target, packed.stat().st_size, uploaded=True)

    def tidy(self, applications: Sequence[ApplicationReport]) -> int:
        """Remove archives that no application can be using; how many.

        An application uses what was used on the day of its submission or later. So what was used last
        before the oldest live one began, and not for `KEPT_DAYS` either, is used by nobody.
        """
        live = [report.submitted for report in applications if not report.state.final]
        limit = min([self._now - KEPT_DAYS * _DAY, *(start - 2 * _DAY for start in live)])
        removed = 0
        for folder in self._fs.list(self._folder):
            if self._last_use(folder) < limit:
                removed += self._remove(folder, limit)
        return removed

    def _remove(self, folder: FileStatus, limit: float) -> bool:
        """Delete what was used last before ``limit``; look again when nobody can find it any more."""
        aside = join(self._folder, f"old-{uuid.uuid4().hex}")
        if folder.is_dir:
            self._fs.rename(folder.path, aside)
            if self._last_use(self._fs.stat(aside)) >= limit and self._put_back(aside, folder.path):
                return False
            return self._fs.delete(aside, recursive=True)
        return self._fs.delete(folder.path)

    def _put_back(self, aside: str, folder: str) -> bool:
        try:
            self._fs.rename(aside, folder)
        except FileExistsError:  # somebody missed it and has made a new one
            return False
        return True

    def _whole(self, size: int, found: Sequence[FileStatus]) -> bool:
        """Whether an archive has the size that it was uploaded with; the same content has the same size."""
        return f"{_SIZE}{size}" in {child.name for child in found}

    def _look(self, folder: str) -> list[FileStatus]:
        try:
            return self._fs.list(folder)
        except FileNotFoundError:
            return []

    def _touch(self, folder: str, found: Sequence[FileStatus]) -> bool:
        """Mark today as a day of use; False when it is marked already."""
        today = _USED + time.strftime("%Y-%m-%d", time.gmtime(self._now))
        marks = [child for child in found if child.name.startswith(_USED)]
        if any(mark.name >= today for mark in marks):
            return False
        self._fs.mkdirs(join(folder, today), mode=_PRIVATE)
        for mark in marks:
            self._fs.delete(mark.path)
        return True

    def _last_use(self, folder: FileStatus) -> float:
        """Seconds since 1970; the end of the day that is marked."""
        children = self._look(folder.path) if folder.is_dir else []
        days = [
            _seconds(child.name.removeprefix(_USED)) for child in children if child.name.startswith(_USED)
        ]
        return max((day + _DAY for day in days), default=folder.modified)


def given(fss: FileSystems, path: str) -> Shipment:
    """An archive that an administrator has put on the cluster, as it is.

    Raises
    ------
    xlearning.errors.ConfigError
        There is none, or it is not what it should be.
    """
    uri = fss.resolve(path)
    try:
        found = fss.of(uri).stat(uri)
    except FileNotFoundError:
        raise ConfigError(f"{GIVEN}: there is no {uri}", hint=_MAKE) from None
    except (StorageError, PermissionError) as error:
        raise ConfigError(f"{GIVEN}: {uri} cannot be looked at: {error}") from error
    if split_uri(uri)[0] == "file":
        raise ConfigError(f"{GIVEN}: {uri} is a file of this machine, which the nodes do not see", hint=_MAKE)
    if found.is_dir or not uri.endswith((".tar.gz", ".tgz")):
        raise ConfigError(f"{GIVEN}: {uri} is no .tar.gz file", hint=_MAKE)
    return Shipment(uri, found.size, uploaded=False)


def world_readable(fss: FileSystems, uri: str) -> bool:
    """Whether everybody may read a file, so that nodes can share it among all users."""
    fs = fss.of(uri)
    try:
        if not fs.stat(uri).mode & 0o004:
            return False
        folder = parent(uri)
        while True:
            if not fs.stat(folder).mode & 0o001:
                return False
            above = parent(folder)
            if above == folder:
                return True
            folder = above
    except PermissionError:
        return False


def _seconds(day: str) -> float:
    import calendar

    try:
        return float(calendar.timegm(time.strptime(day, "%Y-%m-%d")))
    except ValueError:
        return 0.0
