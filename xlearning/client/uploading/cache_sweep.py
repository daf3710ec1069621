"""Keeps a user's cache on the cluster within bounds, and takes nothing away that may be in use."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from xlearning.client.uploading.cache import DRAFT, HOUR, Cache, last_use
from xlearning.cluster.base import ApplicationReport
from xlearning.fs.base import FileStatus, join

# A client may take that long from finding a file to the start of its application.
IN_HAND = 3 * HOUR
_DEAD_DRAFT = 24 * HOUR  # no upload takes longer
_LOOKS = 8  # at a time


@dataclass(frozen=True)
class Swept:
    """How many files were removed, and the bytes that are left."""

    removed: int
    left: int


@dataclass(frozen=True)
class _Found:
    folder: FileStatus
    used: float
    size: int


def sweep(cache: Cache, applications: Sequence[ApplicationReport], *, max_age: float, max_size: int) -> Swept:
    """Remove what was not used for long, then what was used longest ago, until the rest fits.

    An application uses what was marked as used shortly before its submission or later. So what was used
    last before that of the oldest live one is used by nobody. What may be in use stays, whatever its size.

    Parameters
    ----------
    applications : sequence of ApplicationReport
        The user's.
    max_age : float
        Seconds without use.
    max_size : int
        Bytes of all files.
    """
    begun = [report.submitted for report in applications if not report.state.final]
    free = min([cache.now, *begun]) - IN_HAND
    found = sorted(_look(cache), key=lambda entry: entry.used)
    left, removed = sum(entry.size for entry in found), 0
    for entry in found:
        too_old = entry.used < cache.now - max_age
        if entry.used < free and (too_old or left > max_size) and _remove(cache, entry.folder, free):
            removed += 1
            left -= entry.size
    return Swept(removed, left)


def _look(cache: Cache) -> list[_Found]:
    def one(folder: FileStatus) -> _Found:
        if not folder.is_dir:
            return _Found(folder, folder.modified, folder.size)
        children = cache.look(folder.path)
        for child in children:
            if child.name.startswith(DRAFT) and child.modified < cache.now - _DEAD_DRAFT:
                cache.fs.delete(child.path)
        return _Found(folder, last_use(folder, children), sum(child.size for child in children))

    with ThreadPoolExecutor(_LOOKS) as pool:
        return list(pool.map(one, cache.fs.list(cache.folder)))


def _remove(cache: Cache, folder: FileStatus, free: float) -> bool:
    """Delete what was used last before ``free``; look again when nobody can find it any more."""
    if not folder.is_dir:
        return cache.fs.delete(folder.path)
    aside = join(cache.folder, f"old-{uuid.uuid4().hex}")
    try:
        cache.fs.rename(folder.path, aside)
    except FileNotFoundError:  # another xl-submit sweeps too
        return False
    used = last_use(cache.fs.stat(aside), cache.look(aside))
    if used >= free and _put_back(cache, aside, folder.path):
        return False
    return cache.fs.delete(aside, recursive=True)


def _put_back(cache: Cache, aside: str, folder: str) -> bool:
    try:
        cache.fs.rename(aside, folder)
    except FileExistsError:  # somebody missed it and has made a new one
        return False
    return True
