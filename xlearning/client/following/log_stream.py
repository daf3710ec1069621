"""Shows what a job's programs write while it is followed, in a thread of its own."""

from __future__ import annotations

import threading

from xlearning.client.console import Console
from xlearning.client.following.log_lines import Lines
from xlearning.client.following.ways import Chosen
from xlearning.client.verbs.log_choice import LogTarget, known_targets
from xlearning.client.verbs.log_sources import LogSource
from xlearning.errors import XLearningError
from xlearning.job import Snapshot
from xlearning.units import format_bytes

_NAMES = ("stdout", "stderr")
_BEHIND = 4 << 20  # bytes of one log that may be caught up with; of more only the end is shown
_KEPT = 64 << 10  # bytes of that end
_LAST_ROUND = 15.0  # seconds that the last look may take
_LEAVE = 2.0  # seconds in which a look that is under way may end


class LogStream:
    """Follows the logs of the chosen containers.

    Parameters
    ----------
    pause : float
        Seconds between two looks.
    """

    def __init__(self, source: LogSource, chosen: Chosen, console: Console, *, pause: float) -> None:
        self._source, self._chosen, self._console, self._pause = source, chosen, console, pause
        self._snapshot: Snapshot | None = None
        self._wake, self._ending, self._stopped = threading.Event(), threading.Event(), threading.Event()
        self._offsets: dict[tuple[str, str], int] = {}
        self._lines: dict[tuple[str, str], Lines] = {}
        self._whole: set[str] = set()  # containers that have ended and are read to the end
        self._lacking = ""
        self._thread = threading.Thread(target=self._run, name="log-stream", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def update(self, snapshot: Snapshot) -> None:
        """The containers that there are now. One that has ended is looked at at once."""
        more = _ended(snapshot) - _ended(self._snapshot)
        self._snapshot = snapshot
        if more:
            self._wake.set()

    def finish(self) -> None:
        """Show the last lines; says so where they cannot be had."""
        self._ending.set()
        self._wake.set()
        self._thread.join(_LAST_ROUND)
        if self._thread.is_alive() or any(one.id not in self._whole for one in self._targets()):
            why = f" ({self._lacking})" if self._lacking else ""
            self._console.warn(f"the last lines of programs may be missing{why}: xl-submit logs shows them")

    def stop(self) -> None:
        """Leave, be the last lines shown or not."""
        self._stopped.set()
        self._ending.set()
        self._wake.set()
        self._thread.join(_LEAVE)
        self._source.close()

    def _run(self) -> None:
        last = False
        while not last:
            last = self._ending.is_set()
            ended = _ended(self._snapshot)  # before the look: what it finds is then all there is
            for target in self._targets():
                if self._looked(target) and (last or target.id in ended):
                    self._end(target)
            if not last:
                self._wake.wait(self._pause)
                self._wake.clear()

    def _end(self, target: LogTarget) -> None:
        self._whole.add(target.id)
        for name in _NAMES:
            if (target.id, name) in self._lines:
                self._say(self._lines[(target.id, name)].end())

    def _targets(self) -> list[LogTarget]:
        chosen = self._chosen
        return [
            one
            for one in known_targets(self._snapshot, (), ())
            if not chosen.role or (one.role == chosen.role and chosen.index in (None, one.index))
        ]

    def _looked(self, target: LogTarget) -> bool:
        """Show what is new of one container; False where it cannot be had."""
        if target.id in self._whole or self._stopped.is_set():
            return False
        try:
            sizes = self._source.sizes(target)
            for name in _NAMES:
                if name in sizes:
                    self._read(target, name, sizes[name])
        except (XLearningError, OSError, LookupError) as error:  # LookupError: it goes away meanwhile
            self._lacking = str(getattr(error, "message", error))
            return False
        return bool(sizes)

    def _read(self, target: LogTarget, name: str, size: int) -> None:
        key = (target.id, name)
        lines = self._lines.setdefault(key, Lines(target.label))
        offset = self._offsets.get(key, 0)
        if size - offset > _BEHIND:
            left_out = size - _KEPT - offset
            self._say(lines.left_out(format_bytes(left_out)))
            offset += left_out
        if size <= offset:
            return
        for data in self._source.read(target, name, offset):
            offset += len(data)
            self._offsets[key] = offset
            self._say(lines.add(data))
            if self._stopped.is_set():
                return

    def _say(self, lines: list[str]) -> None:
        if lines:
            self._console.output(lines)


def _ended(snapshot: Snapshot | None) -> set[str]:
    return {one.id for one in snapshot.containers if one.state.final} if snapshot else set()
