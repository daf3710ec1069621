"""What one container's part of a save holds: files that were copied, are unchanged, or were torn."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import join
from typing import Any

from xlearning.container.outputs.upload import Output

# A file system's clock is so coarse that a later write may leave the time of the last change as it was.
_COARSE = 50_000_000  # nanoseconds
Key = tuple[str, str]  # local folder, path below it


@dataclass(frozen=True)
class Entry:
    """One file as it was when it was read.

    Attributes
    ----------
    size : int
        Bytes that were copied.
    steady : bool
        They are all of it, and nobody wrote to it meanwhile.
    settled : bool
        Its last change was so long before that a later one shows in its times.
    save_id : str
        The save that holds its bytes.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    steady: bool
    settled: bool
    save_id: str

    def is_of(self, status: os.stat_result) -> bool:
        """Whether a file with this status has the bytes that were copied."""
        now = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        return self.steady and self.settled and now == (self.size, self.mtime_ns, self.ctime_ns, self.inode)


class Ledger:
    """The files of one part of a save, filled while it is copied.

    Parameters
    ----------
    work : Path
        The container's working folder.
    base : mapping
        Files of an earlier whole save, for copying only what has changed since.
    """

    def __init__(self, save_id: str, work: Path, base: Mapping[Key, Entry] | None = None) -> None:
        self.save_id = save_id
        self.entries: dict[Key, Entry] = {}
        self._work = work
        self._base = base or {}
        self._again: frozenset[Key] | None = None

    def of(self, output: Output) -> FolderWatch:
        """What `xlearning.fs.transfer.upload` asks and tells about one output folder."""
        return FolderWatch(self, output.local)

    @property
    def is_incremental(self) -> bool:
        """Whether unchanged files may be left out."""
        return bool(self._base)

    def repeat(self) -> bool:
        """From now on only torn files are wanted; whether there are any."""
        self._again = frozenset(key for key, entry in self.entries.items() if not entry.steady)
        return bool(self._again)

    def wants(self, key: Key) -> bool:
        """Whether a file has to be copied."""
        if self._again is not None:
            return key in self._again
        known = self._base.get(key)
        if known is None:
            return True
        try:
            unchanged = known.is_of((self._work / key[0] / key[1]).stat())
        except OSError:  # the copy itself tells what is wrong with it
            return True
        if unchanged:
            self.entries[key] = known
        return not unchanged

    def copied(self, key: Key, before: os.stat_result, size: int, *, steady: bool) -> None:
        """Note a file of which ``size`` bytes were copied."""
        settled = time.time_ns() - max(before.st_mtime_ns, before.st_ctime_ns) > _COARSE
        self.entries[key] = Entry(
            size,
            before.st_mtime_ns,
            before.st_ctime_ns,
            before.st_ino,
            steady,
            settled,
            self.save_id,
        )

    # ---- results --------------------------------------------------------------------------------

    def own(self) -> list[Entry]:
        """Files that this save holds itself."""
        return [entry for entry in self.entries.values() if entry.save_id == self.save_id]

    def torn(self) -> int:
        """How many files were written to whenever they were copied."""
        return sum(not entry.steady for entry in self.entries.values())

    def needs(self) -> list[str]:
        """Other saves that hold files of this one, the oldest first."""
        return sorted({entry.save_id for entry in self.entries.values()} - {self.save_id})

    def manifest(
        self, folders: Mapping[str, str], container_id: str, confirmed: bool | None
    ) -> dict[str, Any]:
        """The JSON-ready list of all files below some local folders.

        Parameters
        ----------
        folders : mapping
            Local folder -> where its content lies below the part.
        """
        files = [
            _described(join(folders[local], name), entry, self.save_id)
            for (local, name), entry in self.entries.items()
            if local in folders
        ]
        return {
            "version": 1,
            "save": self.save_id,
            "container": container_id,
            "confirmed": confirmed,
            "files": sorted(files, key=lambda one: one["path"]),
        }


class FolderWatch:
    """One output folder's side of a `Ledger`."""

    def __init__(self, ledger: Ledger, local: str) -> None:
        self._ledger, self._local = ledger, local

    def wants(self, name: str) -> bool:
        """See `Ledger.wants`."""
        return self._ledger.wants((self._local, name))

    def copied(self, name: str, before: os.stat_result, size: int, *, steady: bool) -> None:
        """See `Ledger.copied`."""
        self._ledger.copied((self._local, name), before, size, steady=steady)


def _described(path: str, entry: Entry, save_id: str) -> dict[str, Any]:
    about: dict[str, Any] = {"path": path, "size": entry.size, "mtime": entry.mtime_ns / 1e9}
    if not entry.steady:
        about["changed"] = True
    if entry.save_id != save_id:
        about["in"] = entry.save_id
    return about
