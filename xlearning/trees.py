"""Deletes folders of this machine, whatever programs have made of them. Standard library only."""

from __future__ import annotations

import os
from pathlib import Path


def remove_tree(path: Path) -> None:
    """Delete a folder with all below it, also where permissions were taken away; no error when it is gone.

    Inner folders are brought up to the top first: programs make trees that are too deep for recursion and
    for the longest path the system takes. A link or a file in the folder's place is deleted itself.
    """
    number = 0
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink()
            return
        while folders := _delete_files(str(path)):
            for folder in folders:
                for inner in _delete_files(folder):
                    number += 1
                    _open_up(inner)
                    Path(inner).rename(path / f".removed-{os.getpid()}-{number}")
                Path(folder).rmdir()
        path.rmdir()
    except FileNotFoundError:
        return  # somebody else deletes the same


def _delete_files(folder: str) -> list[str]:
    """Delete everything in a folder but folders, and name those."""
    _open_up(folder)
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        if not entry.is_dir(follow_symlinks=False):
            Path(entry.path).unlink()
    return [entry.path for entry in found if entry.is_dir(follow_symlinks=False)]


def _open_up(folder: str) -> None:
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        Path(folder).chmod(0o700)
