"""Temporary folders that the next client removes where theirs was killed.

Whoever uses one holds a lock on a file in it, which the system gives back with the process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from xlearning.trees import remove_tree

PREFIX = "xlearning-work-"
_LOCK, _NEW_LOCK = ".lock", ".lock.new"
_YOUNG = 3600.0  # seconds; its user may be about to lock it


class Scratch(contextlib.AbstractContextManager[Path]):
    """A context with an empty folder that only its owner may enter."""

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._open.callback(remove_tree, folder)
        try:
            # locked before it has its name: a sweep that found it free would remove the folder
            lock = self._open.enter_context(open(folder / _NEW_LOCK, "w", encoding="ascii"))
            fcntl.flock(lock, fcntl.LOCK_EX)
            (folder / _NEW_LOCK).rename(folder / _LOCK)
            work = folder / "work"
            work.mkdir()
        except BaseException:
            self._open.close()
            raise
        return work

    def __exit__(self, *_: object) -> None:
        self._open.close()


def sweep(now: float | None = None) -> int:
    """Remove the user's folders whose users are dead; how many."""
    when = time.time() if now is None else now
    return sum(_remove(folder, when) for folder in _own(Path(tempfile.gettempdir())))


def _own(top: Path) -> Iterator[Path]:
    try:
        with os.scandir(top) as entries:
            for entry in entries:
                if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                    with contextlib.suppress(FileNotFoundError):  # gone meanwhile
                        if entry.stat(follow_symlinks=False).st_uid == os.getuid():
                            yield Path(entry.path)
    except OSError:
        return  # whoever needs the folder is told then


def _remove(folder: Path, now: float) -> bool:
    try:
        with open(folder / _LOCK, encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(folder)
            return True
    except FileNotFoundError:
        return _remove_unlocked(folder, now)
    except OSError:  # in use
        return False


def _remove_unlocked(folder: Path, now: float) -> bool:
    try:
        if now - folder.stat().st_mtime < _YOUNG:
            return False
        remove_tree(folder)
    except OSError:
        return False
    return True
