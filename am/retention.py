"""Deletes the older saves of an application."""

from __future__ import annotations

import functools
from typing import Any

from xlearning import jsonfile
from xlearning.am.core.retention import expired
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems, parent
from xlearning.fs.base import FileSystem, join
from xlearning.fs.intent import MANIFESTS, SUCCESS
from xlearning.fs.retry import keep_trying

MANIFEST = f"{MANIFESTS}.json"
_LIMIT = 64 << 20  # bytes; one line for each container


def prune(
    storage: FileSystems, folder: str, save_id: str, app_id: str, keep: int, retry_time: float
) -> tuple[list[str], list[str]]:
    """Delete all whole saves beside ``folder`` but the newest ``keep`` and what these need. Blocks.

    Only folders that this application has marked as its own are looked at; what is not whole stays.

    Parameters
    ----------
    folder : str
        URI of the newest save, whose id is ``save_id``.

    Returns
    -------
    tuple of (list, list)
        Ids of the saves that are gone, and why others are not.
    """
    fs, above = storage.of(folder), parent(folder)
    prefix = folder.rpartition("/")[2].removesuffix(save_id)
    step = functools.partial(keep_trying, retry_time=retry_time)
    gone, problems = list[str](), list[str]()
    try:
        names = [
            one.name for one in step(lambda: fs.list(above)) if one.is_dir and one.name.startswith(prefix)
        ]
        found = {name.removeprefix(prefix): _needs(fs, join(above, name), app_id) for name in names}
    except (XLearningError, OSError, ValueError) as error:
        return [], [f"older saves beside {folder} were left: {error}"]
    for old in expired({name: needs for name, needs in found.items() if needs is not None}, keep):
        path = join(above, f"{prefix}{old}")
        try:
            # without its mark it is no save any more, whatever becomes of the rest
            step(functools.partial(fs.delete, join(path, SUCCESS)))
            step(functools.partial(fs.delete, path, recursive=True))
        except (XLearningError, OSError) as error:
            problems.append(f"{path} could not be deleted: {error}")
        else:
            gone.append(old)
    return gone, problems


def _needs(fs: FileSystem, folder: str, app_id: str) -> list[str] | None:
    """Saves that a save of this application needs; None when it is not one, or is not whole."""
    try:
        if jsonfile.content(fs, join(folder, SUCCESS)) != app_id.encode():
            return None
        about: Any = jsonfile.parse(jsonfile.content(fs, join(folder, MANIFEST), _LIMIT))
    except FileNotFoundError:
        return None
    needs = about.get("needs") if isinstance(about, dict) else None
    if not isinstance(needs, list):
        raise ValueError(f"{join(folder, MANIFEST)} is no list of a save's parts")
    return [str(one) for one in needs]
