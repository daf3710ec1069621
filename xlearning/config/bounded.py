"""Reads files that a user names, which may be pipes, and may have no end."""

from __future__ import annotations

from pathlib import Path

LIMIT = 64 * 2**20  # bytes


def read(path: Path) -> bytes:
    """All bytes of a file.

    Raises
    ------
    ValueError
        It has more than 64 MiB.
    OSError
        It cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(LIMIT + 1)
    if len(content) > LIMIT:
        raise ValueError(f"it goes on after {LIMIT >> 20} MiB")
    return content
