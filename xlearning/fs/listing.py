"""Which files an input pattern stands for; the one rule for the plan and for the job itself."""

from __future__ import annotations

from xlearning.fs.base import FileStatus, FileSystem


def files_of(fs: FileSystem, pattern: str, *, hidden: bool = True) -> list[FileStatus] | None:
    """Every file that ``pattern`` matches or that lies below a folder that it matches.

    Parameters
    ----------
    hidden : bool
        True: all files count, ``_SUCCESS`` and the like too. False: files and folders whose names start
        with ``_`` or ``.`` are left out, unless ``pattern`` itself is the path of one.

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
    return found


def _any_hidden(path: str) -> bool:
    return any(map(_is_hidden, path.split("/")))


def _is_hidden(name: str) -> bool:
    return name.startswith(("_", "."))
