"""Outputs that are replaced: they must not hold what the job itself reads."""

from __future__ import annotations

import os
from collections.abc import Iterable

from xlearning.client.problems import Problem
from xlearning.fs.base import parent, split_uri
from xlearning.fs.local import local_path
from xlearning.fs.replacing import ERROR


def check(remotes: Iterable[str], read: Iterable[str], problems: list[Problem]) -> None:
    """Refuse an output below which there is something that the job reads.

    Parameters
    ----------
    remotes : iterable of str
        Outputs of which all that they hold now will be deleted.
    read : iterable of str
        Addresses of the files of inputs, and of files that are shipped.
    """
    replaced = dict.fromkeys(remotes)
    places: dict[str, str] = {}
    for uri in read:
        places.setdefault(parent(uri), uri)
        if uri in replaced:  # a folder that is shipped
            places[uri] = uri
    real = [(f"{_real(place)}/", uri) for place, uri in places.items()]
    for remote in replaced:
        root = f"{_real(remote)}/"
        inside = next((uri for place, uri in real if place.startswith(root)), None)
        if inside is not None:
            problems.append(
                Problem(
                    f"output {remote} holds {inside}, which the job reads, and overwrite would delete it",
                    "choose another folder, or keep what is there: --output-existing merge",
                )
            )


def check_failures(existing: str, published: bool, problems: list[Problem]) -> None:
    """Refuse to put the output of a job that failed in the place of what is whole."""
    if existing != ERROR and published:
        problems.append(
            Problem(
                f"--output-existing {existing.lower()} and xlearning.failed.upload=true: "
                "a job that fails would replace what the output holds",
                "choose an output that is empty, or --conf xlearning.failed.upload=false",
            )
        )


def _real(uri: str) -> str:
    """``uri`` without symbolic links, where they are those of this machine."""
    if split_uri(uri)[0] != "file":
        return uri.rstrip("/")
    return f"file://{os.path.realpath(local_path(uri))}".rstrip("/")
