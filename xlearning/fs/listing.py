"""Which files an input pattern stands for; the one rule for the plan and for the job itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xlearning.fs.base import FileStatus, FileSystem
from xlearning.fs.glob import expand_braces
from xlearning.fs.intent import MANIFESTS, SAVE_ID, SUCCESS, TEMPORARY

_SAVE = re.compile(f"{SAVE_ID}$")


def files_of(fs: FileSystem, pattern: str, *, hidden: bool = True) -> list[FileStatus] | None:
    """Every file that ``pattern`` matches or that lies below a folder that it matches.

    What commits and saves leave beside the data is none of it, unless ``pattern`` has its name: files
    called ``_SUCCESS``, what lies in a folder ``_temporary``, and the manifests of a save.

    Parameters
    ----------
    hidden : bool
        True: all other files count. False: files and folders whose names start with ``_`` or ``.`` are
        left out, unless ``pattern`` itself is the path of one.

    Returns
    -------
    list of FileStatus or None
        In the order of the paths; None when the pattern matches nothing at all.

    Raises
    ------
    OSError
        A folder cannot be listed. A partial listing is never returned.
    """
    matches = fs.glob(pattern)
    if not matches:
        return None
    found = []
    for match in matches:
        if hidden or match.path == pattern or not _is_hidden(match.name):
            below = fs.walk(match.path) if match.is_dir else [match]
            skip = 0 if hidden else len(match.path)
            found += [status for status in below if hidden or not _any_hidden(status.path[skip:])]
    marked = {status.path for status in found if "/_" in status.path and _marks(status.path)}
    if marked:
        named = [alternative.split("/") for alternative in expand_braces(pattern)]
        marked = {path for path in marked if not _is_named(path, named)}
    return [status for status in found if status.path not in marked]


def _marks(path: str) -> list[int]:
    """Which components of the path of a file make it a mark and no data."""
    *folders, name = path.split("/")
    found = [
        at
        for at, folder in enumerate(folders)
        if folder == TEMPORARY or (folder == MANIFESTS and _SAVE.search(folders[at - 1]))
    ]
    if name == SUCCESS or (name == f"{MANIFESTS}.json" and _SAVE.search(folders[-1])):
        found.append(len(folders))
    return found


def _is_named(path: str, named: Sequence[Sequence[str]]) -> bool:
    """Whether one of these patterns spells every mark in ``path`` out."""
    parts, marks = path.split("/"), _marks(path)
    return any(all(pattern[at : at + 1] == [parts[at]] for at in marks) for pattern in named)


def _any_hidden(path: str) -> bool:
    return any(map(_is_hidden, path.split("/")))


def _is_hidden(name: str) -> bool:
    return name.startswith(("_", "."))
