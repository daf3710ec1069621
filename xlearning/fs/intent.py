"""The intent of a commit: which folder goes where. And the places of output that waits for one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xlearning.errors import StorageError
from xlearning.fs.base import join

TEMPORARY = "_temporary"
SUCCESS = "_SUCCESS"
MANIFESTS = "_manifest"  # of a save: a folder, and beside it a file of this name with .json
SAVE_ID = r"\d{4}(?:_\d\d){5}"  # a pattern: what the name of a save's folder ends with
SAVE_TIME = "%Y_%m_%d_%H_%M_%S"  # the same for strftime


def is_save(name: str, prefix: str) -> bool:
    """Whether a folder is named as one with a saved model, by this job or one before."""
    return re.fullmatch(re.escape(prefix) + SAVE_ID, name) is not None


@dataclass(frozen=True)
class Move:
    """One folder that becomes visible by a rename."""

    source: str
    target: str


@dataclass(frozen=True)
class Intent:
    """Everything that one commit does; once it is written the commit can only be completed.

    Attributes
    ----------
    aside : tuple of Move
        What was there before and has to go first.
    failure : str
        Why the job failed whose output this is; such an output gets no ``_SUCCESS``.
    """

    app_id: str
    attempt: int
    moves: tuple[Move, ...]
    outputs: tuple[str, ...]
    aside: tuple[Move, ...] = ()
    failure: str = ""


def upload_folder(remote: str, app_id: str, attempt: int, container_id: str) -> str:
    """Where a container's output waits for the commit."""
    return join(remote, TEMPORARY, f"{app_id}_{attempt:06d}", container_id)


def save_part(remote: str, app_id: str, attempt: int, save_id: str, container_id: str) -> str:
    """Where a container's part of a save waits until it is whole; it goes the way of ``_temporary``."""
    return join(upload_folder(remote, app_id, attempt, f"save-{save_id}"), container_id)


def check(intent: Intent, path: str, app_id: str, remotes: Sequence[str]) -> None:
    """Refuse an intent that an application cannot have written.

    Parameters
    ----------
    path : str
        Where it was found.
    remotes : sequence of str
        The application's outputs; none: not known.

    Raises
    ------
    StorageError
    """
    ours = [(remote, join(remote, TEMPORARY, f"{app_id}_")) for remote in intent.outputs]
    known = not remotes or set(intent.outputs) <= set(remotes)
    if intent.app_id != app_id or not known:
        raise StorageError(f"{path} is not the intent of {app_id} for its outputs")
    back = [Move(move.target, move.source) for move in intent.aside]
    for move in (*intent.moves, *back):
        if not any(_is_ours(move, remote, temporary) for remote, temporary in ours):
            raise StorageError(f"{path} moves {move.source} to {move.target}, outside of its outputs")


def _is_ours(move: Move, remote: str, temporary: str) -> bool:
    steps = (*move.source.split("/"), *move.target.split("/"))
    within = move.source.startswith(temporary) and move.target.startswith(f"{join(remote)}/")
    return within and ".." not in steps
