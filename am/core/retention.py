"""Which saves go when only the newest ones are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def expired(saves: Mapping[str, Sequence[str]], keep: int) -> list[str]:
    """Ids of the saves to delete, the oldest first.

    Parameters
    ----------
    saves : mapping
        Id of each whole save (ids sort by time) -> ids of the saves that hold unchanged files of it.
    keep : int
        How many of the newest stay; what these need stays too.
    """
    newest = sorted(saves)[-keep:] if keep else sorted(saves)
    needed = {holder for save_id in newest for holder in saves[save_id]}
    return [save_id for save_id in sorted(saves) if save_id not in newest and save_id not in needed]
