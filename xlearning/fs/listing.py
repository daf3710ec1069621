"""Which files an input pattern stands for; the one rule for the plan and for the job itself."""

from __future__ import annotations

from xlearning.fs.base import FileStatus, FileSystem


def files_of(fs: FileSystem, pattern: str) -> list[FileStatus] | None:
    """Every file that ``pattern`` matches or that lies below a folder that it matches.

    All files count, hidden ones, ``_SUCCESS`` and empty ones too, as in the original.

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
    return [status for match in matches for status in (fs.walk(match.path) if match.is_dir else [match])]
