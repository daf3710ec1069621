"""What containers bring in or take away at the moment, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlearning.job import ContainerView, Snapshot, TransferView
from xlearning.units import format_bytes

_WORDS = {"input": "reading input", "output": "uploading output", "save": "saving output"}


def moving(snapshot: Snapshot) -> Iterator[str]:
    """One line for input, output and saves each, over all containers that move some."""
    for what, words in _WORDS.items():
        found = [one.transfer for one in snapshot.containers if _moves(one, what)]
        if found:
            yield f"{words}: {amount([one for one in found if one is not None])}"


def amount(transfers: Sequence[TransferView]) -> str:
    """``12 of 40 files, 1.2 GiB of 4.0 GiB, 85 MiB/s``."""
    files, total = sum(one.files for one in transfers), sum(one.total_files for one in transfers)
    size, whole = sum(one.size for one in transfers), sum(one.total_size for one in transfers)
    of_files = f"{files} of {total} files, " if total else ""
    of_bytes = f"{format_bytes(size)} of {format_bytes(whole)}" if whole else format_bytes(size)
    return f"{of_files}{of_bytes}, {format_bytes(sum(one.rate for one in transfers))}/s"


def _moves(container: ContainerView, what: str) -> bool:
    return container.transfer is not None and container.transfer.what == what
