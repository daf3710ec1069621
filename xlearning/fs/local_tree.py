"""What lies below a local folder, ready to be copied elsewhere."""

from __future__ import annotations

import contextlib
import os
import stat as modes
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from xlearning.errors import StorageError
from xlearning.fs.local import special_kind

_SHOWN = 5


@dataclass
class LocalTree:
    """A folder's content.

    Attributes
    ----------
    files : list of str
        Files below it as relative paths.
    empty : list of str
        Folders without content, as relative paths.
    """

    files: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)


def scan(folder: Path, *, alive: bool = False) -> LocalTree:
    """List a folder with everything below it. Symbolic links are followed.

    Parameters
    ----------
    alive : bool
        Somebody is at work in the folder: what vanishes meanwhile is left out.

    Raises
    ------
    FileNotFoundError, NotADirectoryError
        ``folder`` is missing or is no folder.
    StorageError
        Something below it cannot be copied: a pipe, a socket, a device, a link that leads nowhere or
        to a folder above itself. The message names them.
    """
    tree, problems = LocalTree(), list[str]()
    own = folder.stat()
    _scan(folder, (own.st_dev, own.st_ino), tree, problems, alive)
    if problems:
        more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise StorageError(
            f"{folder} holds what cannot be copied: {', '.join(problems[:_SHOWN])}{more}",
            hint="let the program remove it, or keep it outside of the output folder",
        )
    return tree


def measure(folders: Iterable[Path]) -> tuple[int, int]:
    """How many files lie below some folders, and their bytes, as far as they can be looked at now.

    Raises
    ------
    FileNotFoundError, NotADirectoryError, StorageError
        See `scan`.
    """
    files = size = 0
    for folder in folders:
        for name in scan(folder, alive=True).files:
            files += 1
            with contextlib.suppress(OSError):  # whoever copies it says so
                size += (folder / name).stat().st_size
    return files, size


def _scan(folder: Path, above: tuple[int, int], tree: LocalTree, problems: list[str], alive: bool) -> None:
    """Fill ``tree`` in the order of names, without recursion: programs make very deep folders."""
    ids = {above}  # of the folder that is looked at and all above it
    levels = [(above, "", iter(_children(folder, alive)))]
    while levels:
        own, prefix, children = levels[-1]
        path = next(children, None)
        if path is None:
            levels.pop()
            ids.discard(own)
            continue
        relative = prefix + path.name
        try:
            found = path.stat()
        except OSError as error:
            if alive and not os.path.lexists(path):
                continue
            if not path.is_symlink():
                raise
            problems.append(f"{relative} (a symbolic link: {error.strerror})")
            continue
        here = (found.st_dev, found.st_ino)
        if modes.S_ISREG(found.st_mode):
            tree.files.append(relative)
        elif not modes.S_ISDIR(found.st_mode):
            problems.append(f"{relative} (a {special_kind(found.st_mode)})")
        elif here in ids:
            problems.append(f"{relative} (a symbolic link to a folder above itself)")
        else:
            below = _children(path, alive)
            if not below:
                tree.empty.append(relative)
            ids.add(here)
            levels.append((here, f"{relative}/", iter(below)))


def _children(folder: Path, alive: bool) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        if alive:
            return []
        raise
