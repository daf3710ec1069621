"""From submission to the end: shows what changes, notices the end at once, handles Ctrl-C."""

from __future__ import annotations

import queue
import signal
import time
from dataclasses import dataclass, replace

from xlearning.client.console import Console
from xlearning.client.following.changes import changes, summary
from xlearning.client.following.watch import Event, Interrupt, Lost, Watcher
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.errors import ApplicationNotFound, ClusterError, ClusterUnavailable
from xlearning.job import AppState, JobSpec, Snapshot

_HEARTBEAT = 30.0  # seconds
_TICK = 1.0  # seconds between two looks at the heartbeat
_FIRST_ASK = 0.01  # seconds; each further question to the back end waits 1.5 times longer
_LAST_WORDS = 1.0  # seconds that a snapshot may still be on its way when the end is known
_KILL_PATIENCE = 30.0  # seconds that the ApplicationMaster gets to end the application by itself


class Detached(Exception):
    """The user interrupted twice: the client leaves, the application goes on."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


@dataclass(frozen=True)
class Ending:
    """How the application ended, and the last snapshot that was seen of it.

    Attributes
    ----------
    goes_on : bool
        YARN starts one more attempt, which only repeats the end and puts everything in order.
    """

    report: ApplicationReport
    snapshot: Snapshot | None
    goes_on: bool = False


class Follower:
    """Follows one application.

    Parameters
    ----------
    inbox : queue
        Where the watcher's news and the user's signals arrive.
    interval : float
        Longest time (seconds) between two questions to the back end while the ApplicationMaster
        is silent.
    """

    def __init__(
        self,
        job: JobSpec,
        cluster: ClusterClient,
        watcher: Watcher,
        inbox: queue.SimpleQueue[Event],
        console: Console,
        *,
        interval: float,
    ) -> None:
        self._job = job
        self._cluster = cluster
        self._watcher = watcher
        self._inbox = inbox
        self._console = console
        self._interval = interval
        self._delay = _FIRST_ASK
        self._last: Snapshot | None = None
        self._last_line = time.monotonic()
        self._interrupted_before = False
        self._kill_sent: float | None = None
        self._unreachable = False

    def run(self) -> Ending:
        """Follow until the back end reports the end.

        Raises
        ------
        Detached
            On the second interruption.
        """
        try:
            while True:
                self._take(self._next())
                if self._must_ask():
                    if self._last is not None and self._last.said_again:
                        return Ending(ApplicationReport.of(self._last), self._last, goes_on=True)
                    report = self._ask()
                    if report is not None and report.state.final:
                        self._drain()
                        return Ending(_decided(report, self._last), self._last)
                self._heartbeat()
        finally:
            self._console.close()

    def _next(self) -> Event | None:
        timeout = self._delay if self._must_ask() else _TICK
        try:
            return self._inbox.get(timeout=timeout)
        except queue.Empty:
            self._delay = min(self._delay * 1.5, self._interval)
            return None

    def _take(self, event: Event | None) -> None:
        if isinstance(event, Snapshot):
            self._show(event)
        elif isinstance(event, Lost):
            self._delay = _FIRST_ASK
        elif isinstance(event, Interrupt):
            self._interrupted(event.signum)

    def _must_ask(self) -> bool:
        """Whether only the back end can tell how it stands."""
        return not self._watcher.connected or (self._last is not None and self._last.state.final)

    def _ask(self) -> ApplicationReport | None:
        try:
            report = self._cluster.report(self._job.app_id)
        except ApplicationNotFound:
            return self._forgotten()
        except ClusterUnavailable as error:
            if not self._unreachable:
                self._say(f"cannot be asked at the moment, trying again: {error.message}")
            self._unreachable = True
            return None
        self._unreachable = False
        return report

    def _forgotten(self) -> ApplicationReport:
        """The end of an application of which the back end has lost every record."""
        return ApplicationReport(
            app_id=self._job.app_id,
            name=self._job.app_name,
            user=self._job.user,
            state=AppState.FAILED,
            diagnostics="no record of the application is left; was YARN's ResourceManager restarted?",
            submitted=self._job.submitted,
            finished=time.time(),
        )

    def _show(self, snapshot: Snapshot) -> None:
        for line in changes(self._last, snapshot):
            self._say(line)
        if snapshot.state.final:
            self._delay = _FIRST_ASK
        else:
            self._console.status(summary(snapshot))
        self._last = snapshot

    def _drain(self) -> None:
        """Take what the ApplicationMaster sent before the end, be it still on the way."""
        deadline = time.monotonic() + _LAST_WORDS
        while self._watcher.connected and not (self._last is not None and self._last.state.final):
            try:
                event = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return
            if isinstance(event, Lost):
                return
            self._take(event)
        while not self._inbox.empty():
            event = self._inbox.get_nowait()
            if isinstance(event, Snapshot):
                self._show(event)

    def _say(self, line: str) -> None:
        self._console.info(line)
        self._last_line = time.monotonic()

    def _heartbeat(self) -> None:
        now = time.monotonic()
        if self._kill_sent is not None and now - self._kill_sent > _KILL_PATIENCE:
            self._kill_sent = now
            self._say("still not ended: killing it by force")
            self._kill_by_force()
        if now - self._last_line >= _HEARTBEAT:
            self._say(summary(self._last) if self._last else "waiting for the ApplicationMaster")

    def _interrupted(self, signum: int) -> None:
        if self._interrupted_before:
            raise Detached(signum)
        name = signal.Signals(signum).name
        if self._console.interactive and signum == signal.SIGINT and not self._confirmed():
            self._say("following on; Ctrl-C asks again")
            return
        self._interrupted_before = True
        self._say(f"{name}: killing {self._job.app_id} (once more ends xl-submit alone)")
        self._kill(f"{name} to xl-submit")

    def _kill(self, reason: str) -> None:
        try:
            refusal = self._watcher.kill(self._job.user, reason)
        except ClusterError:
            self._kill_by_force()
            return
        if refusal:
            self._say(f"not killed: {refusal}")
        else:
            self._kill_sent = time.monotonic()

    def _kill_by_force(self) -> None:
        """Through the back end; where that fails it is tried again after a while, and followed on."""
        self._kill_sent = time.monotonic()
        try:
            self._cluster.kill(self._job.app_id)
        except ClusterError as error:
            self._say(f"not killed, trying again in {_KILL_PATIENCE:g} s: {error.message}")

    def _confirmed(self) -> bool:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return self._console.ask(f"Kill {self._job.app_id}? [y/N] (Ctrl-C again: leave it running) ")
        except KeyboardInterrupt:
            raise Detached(signal.SIGINT) from None
        finally:
            signal.signal(signal.SIGINT, before)


def _decided(report: ApplicationReport, last: Snapshot | None) -> ApplicationReport:
    """What the ApplicationMaster decided for good holds, even if YARN saw it die before it was told."""
    if last is None or not last.state.final:
        return report
    if last.retry and last.state is report.state and last.attempt == report.attempt:
        return replace(report, diagnostics=last.reason)  # YARN tries less often than the job wanted
    if last.retry or last.state is report.state:
        return report
    return replace(report, state=last.state, diagnostics=last.reason)
