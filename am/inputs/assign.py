"""Dealing files to workers. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xlearning.fs import dealing
from xlearning.fs.base import FileStatus
from xlearning.fs.dealing import Rule

Listing = Mapping[str, Sequence[FileStatus]]
"""Local name -> its files, in the order of the listing."""

Assignment = Mapping[str, tuple[FileStatus, ...]]
"""Local name -> the files that one worker reads."""


def deal(listing: Listing, workers: int, rule: Rule) -> list[Assignment]:
    """One assignment per worker, see `xlearning.fs.dealing.deal`."""
    shares = {local: dealing.deal(files, workers, rule) for local, files in listing.items()}
    return [{local: share[worker] for local, share in shares.items()} for worker in range(workers)]


def nothing(listing: Listing) -> Assignment:
    """The assignment of a container that reads no input (ps, evaluator)."""
    return dict.fromkeys(listing, ())
