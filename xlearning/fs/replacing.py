"""What an output held before a job: set aside by its commit, replaced, or joined with what is new.

The names are noted when a job claims its outputs, so that what others write meanwhile, and what the
job itself saves on the way, is never taken for something old.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xlearning import jsonfile
from xlearning.errors import StorageError
from xlearning.fs.base import FileStatus, exists, join
from xlearning.fs.registry import FileSystems

ERROR, OVERWRITE, MERGE = "ERROR", "OVERWRITE", "MERGE"
_NOTE = "existing.json"
_NOTE_LIMIT = 256 * 2**20  # bytes

List = Callable[[str], Sequence[FileStatus]]


@dataclass(frozen=True)
class Found:
    """Names that the outputs held when the job began: URI of an output -> names."""

    names: Mapping[str, tuple[str, ...]]


def note(storage: FileSystems, staging: str, found: Mapping[str, Sequence[str]]) -> None:
    """Write down what there is, unless an earlier attempt has done so."""
    path = join(staging, _NOTE)
    fs = storage.of(path)
    if exists(fs, path):
        return
    draft = f"{path}.tmp"
    with fs.open_write(draft, overwrite=True) as stream:
        stream.write(json.dumps({"names": {uri: list(names) for uri, names in found.items()}}).encode())
    fs.replace(draft, path)


def noted(storage: FileSystems, staging: str) -> Found:
    """What `note` has written down; nothing where it was not called.

    Raises
    ------
    StorageError
        The file is damaged.
    """
    path = join(staging, _NOTE)
    try:
        text = jsonfile.content(storage.of(path), path, _NOTE_LIMIT)
    except FileNotFoundError:
        return Found({})
    try:
        return jsonfile.record(Found, text)
    except ValueError as error:
        raise StorageError(f"{path} is damaged: {error}") from error


def merged(source: str, target: str, aside: str, children: List) -> Iterator[tuple[str, str, str]]:
    """Renames that put the folder ``source`` into the folder ``target``, as MapReduce's commit does.

    Folders of one name are joined; a file takes the place of whatever has its name, and a folder that of
    a file.

    Parameters
    ----------
    aside : str
        Where the folders for what is replaced begin.
    children : callable
        Lists a folder; one that is missing is empty.

    Yields
    ------
    (source, target, aside)
        ``aside``: where what is at ``target`` goes first; empty where there is nothing.
    """
    there = {child.name: child for child in children(target)}
    for child in children(source):
        path, old = join(target, child.name), there.get(child.name)
        if old is None:
            yield child.path, path, ""
        elif old.is_dir and child.is_dir:
            yield from merged(child.path, path, join(aside, child.name), children)
        else:
            yield child.path, path, join(aside, child.name)
