"""Steps of a commit, each of which may be repeated."""

from __future__ import annotations

from xlearning import jsonfile
from xlearning.errors import XLearningError
from xlearning.fs.base import FileSystem, ObjectStore, exists, join, parent
from xlearning.fs.intent import SUCCESS, Move


class OutputLost(XLearningError):
    """Something that was uploaded is neither at its temporary nor at its final place."""


def rename_once(fs: FileSystem, source: str, target: str) -> None:
    """Rename a folder, and take a rename that was done already for what it is.

    Where a rename is a copy, one that was interrupted is begun anew.

    Raises
    ------
    OutputLost
        Neither of the two is there.
    """
    if isinstance(fs, ObjectStore):
        try:
            fs.move_over(source, target)
        except FileNotFoundError:
            raise OutputLost(f"{source} is gone, but {target} is not there: output was lost") from None
        return
    if exists(fs, source):
        try:
            fs.rename(source, target)
        except FileNotFoundError:  # somebody else who completes the same commit was faster
            if exists(fs, source):
                raise
        else:
            return
    if not exists(fs, target):
        raise OutputLost(f"{source} is gone, but {target} is not there: output was lost")


def mark_whole(fs: FileSystem, folder: str, app_id: str) -> None:
    """Write ``_SUCCESS`` into a folder; may be repeated."""
    write(fs, join(folder, SUCCESS), app_id.encode())


def marked_by(fs: FileSystem, folder: str, app_id: str) -> bool:
    """Whether ``folder`` holds the ``_SUCCESS`` of this application."""
    try:
        return jsonfile.content(fs, join(folder, SUCCESS)) == app_id.encode()
    except (FileNotFoundError, ValueError):
        return False


def set_aside(fs: FileSystem, move: Move) -> None:
    """Rename what an output held; may be repeated, also when what is new has its name already.

    The folder of ``move.target`` must have been made before. It goes with the end of the commit, so that who
    comes too late finds no place for what is not old.
    """
    if isinstance(fs, ObjectStore):
        if exists(fs, move.source):
            fs.move_over(move.source, move.target)
        return
    if exists(fs, move.target) or not exists(fs, move.source):
        return
    try:
        fs.rename(move.source, move.target)
    except (FileExistsError, FileNotFoundError):  # somebody else who completes the same commit was faster
        if exists(fs, move.source) and exists(fs, parent(move.target)) and not exists(fs, move.target):
            raise


def write(fs: FileSystem, path: str, data: bytes) -> None:
    """Write a small file, over whatever has its name."""
    with fs.open_write(path, overwrite=True) as stream:
        stream.write(data)
