"""Dealing files to workers. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xlearning.fs.base import FileStatus

Listing = Mapping[str, Sequence[FileStatus]]
"""Local name -> its files, in the order of the listing."""

Assignment = Mapping[str, tuple[FileStatus, ...]]
"""Local name -> the files that one worker reads."""


def deal(listing: Listing, workers: int) -> list[Assignment]:
    """File i of each input goes to worker i mod W (the original's rule, see the contract of inputs).

    Parameters
    ----------
    listing : mapping
    workers : int
        Number of containers of role ``worker``, a separate chief included, the evaluator not.

    Returns
    -------
    list
        One assignment per worker; together they hold every file once.
    """
    return [
        {local: tuple(files[worker::workers]) for local, files in listing.items()}
        for worker in range(workers)
    ]


def nothing(listing: Listing) -> Assignment:
    """The assignment of a container that reads no input (ps, evaluator)."""
    return dict.fromkeys(listing, ())
