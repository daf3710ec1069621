"""Listing the inputs: the one place among the inputs that touches a file system."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.errors import UsageError
from xlearning.fs.base import FileStatus
from xlearning.fs.listing import files_of
from xlearning.fs.registry import FileSystems
from xlearning.job import InputSpec


def list_inputs(
    storage: FileSystems, inputs: Sequence[InputSpec], *, allow_empty: bool, hidden: bool = True
) -> dict[str, list[FileStatus]]:
    """Every file of every input, local name -> files in the order of patterns and paths.

    Parameters
    ----------
    hidden : bool
        Whether files count whose names start with ``_`` or ``.``; see `xlearning.fs.listing.files_of`.

    Raises
    ------
    UsageError
        A pattern matches nothing, or an input holds no file although ``allow_empty`` is False;
        all such inputs are named together.
    OSError
        A folder cannot be listed. A partial listing is never returned.
    """
    listing: dict[str, list[FileStatus]] = {}
    problems = []
    for spec in inputs:
        files: dict[str, FileStatus] = {}
        for pattern in spec.patterns:
            found = files_of(storage.of(pattern), pattern, hidden=hidden)
            if found is None:
                problems.append(f"{pattern} (input {spec.local}) matches nothing")
            files.update((status.path, status) for status in found or ())
        if not files and not allow_empty and not problems:
            problems.append(f"input {spec.local} ({', '.join(spec.patterns)}) holds no file")
        listing[spec.local] = list(files.values())
    if problems:
        raise UsageError("; ".join(problems), hint="xlearning.input.allow.empty=true accepts empty inputs")
    return listing
