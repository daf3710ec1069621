"""How much of a transfer is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Amount:
    """Written by transfer threads, read by the event loop.

    Attributes
    ----------
    files, size : int
        Files and bytes that are done.
    """

    files: int = 0
    size: int = 0

    def update(self, files: int, size: int) -> None:
        """Note what is done so far: files, bytes."""
        self.files, self.size = files, size
