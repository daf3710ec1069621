"""Input strategy DOWNLOAD: the agent copies the files into ``./<local>/`` before the program starts."""

from __future__ import annotations

from collections.abc import Mapping

from xlearning.am.inputs.assign import Assignment, Listing
from xlearning.errors import UsageError
from xlearning.job import FetchItem


def target_names(listing: Listing, *, rename: bool, stamp: int) -> Mapping[str, str]:
    """Local file name of every URI.

    Parameters
    ----------
    listing : mapping
    rename : bool
        ``xlearning.inputfile.rename``: call every file ``<stamp>_<n>``.
    stamp : int
        Milliseconds since 1970, the same for the whole job.

    Raises
    ------
    UsageError
        Two files of one input have the same base name; all such pairs are named together.
    """
    names: dict[str, str] = {}
    clashes = []
    number = 0
    for local, files in listing.items():
        taken: dict[str, str] = {}
        for status in files:
            name = f"{stamp}_{number}" if rename else status.name
            number += 1
            if name in taken:
                clashes.append(f"{taken[name]} and {status.path} would both become ./{local}/{name}")
            taken[name] = status.path
            names[status.path] = name
    if clashes:
        shown = "\n  ".join(clashes[:10])
        raise UsageError(
            f"{len(clashes)} input files clash by base name:\n  {shown}",
            hint="pass --isRenameInputFile true, or give the folders different local names",
        )
    return names


def fetch_items(assignment: Assignment, names: Mapping[str, str]) -> tuple[FetchItem, ...]:
    """What one container downloads."""
    return tuple(
        FetchItem(status.path, f"{local}/{names[status.path]}", status.size)
        for local, files in assignment.items()
        for status in files
    )
