"""Models that earlier jobs saved while they ran: as part of an input, and in an output that is replaced."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xlearning.client.planning.inputs import Listing
from xlearning.fs import FileSystems, parent
from xlearning.fs.base import exists
from xlearning.fs.glob import expand_braces
from xlearning.fs.intent import SAVE_ID, is_save

_PREFIX = "interResult_"


def tell_read(listings: Sequence[Listing], saves: str, notes: list[str]) -> None:
    """Inputs that hold saved models beside what was published, though no pattern names these.

    Parameters
    ----------
    saves : str
        ``xlearning.interresult.dir``; folders of its default count too.
    """
    names = {_PREFIX, saves.rpartition("/")[2]}
    save = re.compile(f"/(?:{'|'.join(map(re.escape, names))}){SAVE_ID}(?=/)")
    for listing in listings:
        folders: dict[str, int] = {}
        for file in listing.files:
            match = save.search(file.path)
            if match:
                folder = file.path[: match.end()]
                folders[folder] = folders.get(folder, 0) + 1
        if not folders:
            continue
        named = [one.split("/") for pattern in listing.spec.patterns for one in expand_braces(pattern)]
        folders = {folder: count for folder, count in folders.items() if not _is_named(folder, named)}
        if folders:
            notes.append(_words(listing.spec.local, folders))


def tell_deleted(remote: str, saves: str, fss: FileSystems, notes: list[str]) -> None:
    """Saved models in an output of which all that it holds will be deleted.

    Raises
    ------
    xlearning.errors.StorageError, OSError
        The output cannot be looked at.
    """
    above, _, name = saves.strip("/").rpartition("/")
    fs, folder = fss.of(remote), f"{remote}/{above}".rstrip("/")
    if not exists(fs, folder):
        return
    count = sum(one.is_dir and is_save(one.name, name) for one in fs.list(folder))
    if count:
        notes.append(f"{_models(count)} in {folder} will be deleted once the job has succeeded")


def _is_named(folder: str, named: Sequence[Sequence[str]]) -> bool:
    """Whether a pattern reaches as far as the folder of a save, and begins its name as it begins."""
    parts = folder.split("/")
    at = len(parts) - 1
    return any(len(pattern) > at and pattern[at][:1] == parts[at][:1] for pattern in named)


def _words(local: str, folders: dict[str, int]) -> str:
    count, first = sum(folders.values()), next(iter(folders))
    above, name = parent(first), first.rpartition("/")[2]
    files = "1 file" if count == 1 else f"{count} files"
    return (
        f"input {local} holds {files} of {_models(len(folders))}, such as {first}, read like the rest; "
        f"a pattern such as {above}/[!{name[0]}]* leaves them out"
    )


def _models(count: int) -> str:
    return "1 saved model" if count == 1 else f"{count} saved models"
