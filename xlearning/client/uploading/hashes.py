"""Hashes of large files, remembered, so that a second submit need not read them again.

A file counts as unchanged while its path, device, inode, size and both times, that of the last write
and that of the last change of its inode, are the same. Programs can set the first time but not the
second: to be fooled takes a clock that was set back or a write that bypasses the file system.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
import threading
from pathlib import Path

from xlearning.jsonfile import read_local

FILE = "hashes.json"
_KEPT = 2000  # files
_CHUNK = 1 << 20  # bytes
# File systems count time in steps of up to two seconds: a file may change again within the same one.
_STEP = 2.0


class Hashes:
    """SHA-256 of files of this machine. Safe to use from several threads.

    Parameters
    ----------
    folder : Path
        Keeps what is known.
    now : float
        Seconds since 1970.
    """

    def __init__(self, folder: Path, now: float) -> None:
        self._folder, self._now = folder, now
        self._known = _read(folder / FILE)
        self._lock = threading.Lock()
        self._new = False

    def of(self, path: Path) -> str:
        """The hash of a file in hexadecimal digits; reads it only where it must."""
        stamp = _stamp(path)
        with self._lock:
            found = self._known.get(str(path))
        if found is not None and found[:-1] == stamp:
            return str(found[-1])
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        text = digest.hexdigest()
        youngest = max(stamp[-2:]) / 1e9
        if stamp == _stamp(path) and self._now - youngest > _STEP:
            with self._lock:
                self._known.pop(str(path), None)
                self._known[str(path)] = [*stamp, text]
                self._new = True
        return text

    def save(self) -> None:
        """Remember what was found out; where that fails, the next submit reads the files again."""
        if not self._new:
            return
        kept = dict(list(self._known.items())[-_KEPT:])
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            number, draft = tempfile.mkstemp(prefix=f".{FILE}.", dir=self._folder)
            try:
                with open(number, "w", encoding="ascii") as file:
                    json.dump(kept, file)
                Path(draft).replace(self._folder / FILE)
            except BaseException:
                Path(draft).unlink(missing_ok=True)
                raise


def _stamp(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _read(path: Path) -> dict[str, list[int | str]]:
    try:
        known = read_local(path)
        return {str(name): list(row) for name, row in known.items() if len(row) == 6}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
