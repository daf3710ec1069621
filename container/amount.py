"""How much of a transfer is done, and how fast it goes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

_WINDOW = 10.0  # seconds that the rate is about


@dataclass
class Amount:
    """Written by transfer threads, read by the event loop.

    Attributes
    ----------
    files, size : int
        Files and bytes that are done.
    total_files, total_size : int
        Of so many; 0 while it is not known.
    """

    files: int = 0
    size: int = 0
    total_files: int = 0
    total_size: int = 0
    now: Callable[[], float] = time.monotonic
    _seen: deque[tuple[float, int]] = field(default_factory=deque)

    def expect(self, files: int, size: int) -> None:
        """Note how much there is to do."""
        self.total_files, self.total_size = files, size

    def update(self, files: int, size: int) -> None:
        """Note what is done so far: files, bytes."""
        self.files, self.size = files, size

    def rate(self) -> float:
        """Bytes a second since the calls of the last seconds; call it regularly, from one thread."""
        moment = (self.now(), self.size)
        self._seen.append(moment)
        while len(self._seen) > 2 and moment[0] - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        seconds = moment[0] - self._seen[0][0]
        return max(0.0, (moment[1] - self._seen[0][1]) / seconds) if seconds > 0 else 0.0
