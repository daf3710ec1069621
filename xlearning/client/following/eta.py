"""How long a job will still take, where its progress tells. Pure."""

from __future__ import annotations

_WATCHED = 20.0  # seconds over which progress must have been seen
_STEPS = 3  # reports of progress, before which its speed is a guess
_PATIENCE = 3.0  # times the usual time between two reports, after which the speed is not known any more


class Eta:
    """Watches a share that grows.

    Progress may begin late, jump and stop; an estimate is given only while it grows as before.
    """

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None
        self._last = (0.0, 0.0)
        self._steps = 0

    def seen(self, share: float | None, now: float) -> None:
        """The share (0..1) that is done at ``now`` (seconds)."""
        if share is None:
            return
        if self._first is None or share < self._last[1]:  # an attempt that begins anew
            self._first = self._last = (now, share)
            self._steps = 0
        elif share > self._last[1]:
            self._last = (now, share)
            self._steps += 1

    def left(self, now: float) -> float | None:
        """Seconds until the end; None where they cannot be told honestly."""
        if self._first is None or self._steps < _STEPS or self._last[1] >= 1:
            return None
        (begun, before), (seen, share) = self._first, self._last
        took = seen - begun
        if took < _WATCHED or now - seen > _PATIENCE * took / self._steps:
            return None
        return max(0.0, (1 - share) * took / (share - before) - (now - seen))
