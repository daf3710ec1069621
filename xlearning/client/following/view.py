"""What a person sees while a job is followed: what is new, and a panel or heartbeats."""

from __future__ import annotations

import re
import time
from dataclasses import replace

from xlearning.client.console import Console
from xlearning.client.following.changes import changes, missing, new_failures, news, summary
from xlearning.client.following.eta import Eta
from xlearning.client.following.panel_text import Moment, panel_text
from xlearning.job import AppState, Snapshot
from xlearning.units import format_duration

_REDRAW = 0.25  # seconds at least between two drawings that only time asks for
_NUMBER = re.compile(r"[\d.]+")


class View:
    """Shows one application on a console.

    Parameters
    ----------
    submitted : float
        Seconds since 1970.
    heartbeat : float
        Seconds without news after which a console without a panel is told how it stands.
    board : bool
        Whether somebody asked for TensorBoard, and wants to read why there is none.
    found : AppState
        In which it is met: the ApplicationMaster of one that runs is there, and only has to answer.
    """

    def __init__(
        self,
        app_id: str,
        submitted: float,
        console: Console,
        *,
        heartbeat: float,
        board: bool = True,
        found: AppState = AppState.SUBMITTED,
    ) -> None:
        self._board = board
        self._app_id, self._submitted, self._console = app_id, submitted, console
        self._heartbeat = heartbeat
        self._last: Snapshot | None = None
        self._said = time.monotonic()
        self._eta = Eta()
        self._since = time.monotonic()  # when what is waited for was first missing
        self._reported = found
        self._asks = found is AppState.RUNNING
        self._reason = ""
        self._trouble = ""
        self._drawn = 0.0

    def say(self, line: str) -> None:
        """One thing that is new."""
        self._console.info(line)
        self._said = time.monotonic()

    def show(self, snapshot: Snapshot) -> None:
        """The application has changed."""
        if not self._board:
            snapshot = replace(snapshot, board=replace(snapshot.board, note=""))
        for line in (news if self._console.live else changes)(self._last, snapshot):
            self.say(line)
        failed = new_failures(self._last, snapshot)
        self._trouble = failed[-1] if failed else self._trouble
        if self._last is None or not missing(self._last):
            self._reason, self._since = "", time.monotonic()
        self._eta.seen(snapshot.progress, time.monotonic())
        self._last = snapshot
        self._drawn = 0.0
        self.tick()

    def reported(self, state: AppState) -> None:
        """The back end tells the state of an application that tells this client nothing itself."""
        if state is not self._reported:
            self._reported, self._since = state, time.monotonic()
            if not self._console.live:
                self.say(self._standing())

    def waits(self, reason: str) -> None:
        """Why the application does not get what it waits for; empty where nobody tells."""
        before, self._reason = self._reason, reason
        if reason and _NUMBER.sub("", reason) != _NUMBER.sub("", before) and not self._console.live:
            self.say(self._waiting())

    def tick(self) -> None:
        """Time has passed."""
        now = time.monotonic()
        if self._last is not None and self._last.state.final:
            self._console.close()
        elif self._console.live and now - self._drawn >= _REDRAW:
            self._console.status(panel_text(self._moment()), self._trouble)
            self._drawn = now
        elif not self._console.live and now - self._said >= self._heartbeat:
            self.say(self._standing())

    def _standing(self) -> str:
        """How it stands, in one line."""
        if self._last is None:
            known = "" if self._reported is AppState.SUBMITTED else f"{self._reported.value} · "
            return known + self._waiting()
        line = summary(self._last)
        left = self._eta.left(time.monotonic())
        if left is not None:
            line += f" · about {format_duration(left)} left"
        return f"{line} · {self._waiting()}" if missing(self._last) else line

    def _waiting(self) -> str:
        count = missing(self._last) if self._last else 0
        what = "its end" if self._reported is AppState.RUNNING and not self._asks else "the ApplicationMaster"
        what = f"{count} container{'' if count == 1 else 's'}" if count else what
        does = "asking" if self._asks and not count else "waiting for"
        waited = time.monotonic() - self._since
        how_long = f" for {format_duration(waited)}" if waited >= 1 else ""
        return f"{does} {what}{how_long}" + (f": {self._reason}" if self._reason else "")

    def _moment(self) -> Moment:
        now = time.monotonic()
        waiting = self._waiting() if self._last is None or missing(self._last) else ""
        lasted = time.time() - self._submitted
        return Moment(self._app_id, lasted, self._last, self._eta.left(now), waiting, self._reported)
