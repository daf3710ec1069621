"""From submission to the end: shows what changes, notices the end at once, obeys signals."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from xlearning.client.console import Console
from xlearning.client.following.changes import missing
from xlearning.client.following.reasons import Reasons
from xlearning.client.following.stopping import Detached, Stopper
from xlearning.client.following.view import View
from xlearning.client.following.watch import Event, Interrupt, Lost, Watcher
from xlearning.client.planning.roles import TENSORFLOW
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.cluster.yarn_waiting import for_master
from xlearning.errors import ApplicationNotFound, ClusterUnavailable
from xlearning.job import AppState, JobSpec, Snapshot

__all__ = ["Detached", "Ending", "Follower"]

HEARTBEAT = 30.0  # seconds
_TICK = 1.0  # seconds between two looks at what only time changes
_FIRST_ASK = 0.01  # seconds; each further question to the back end waits 1.5 times longer
_LAST_WORDS = 1.0  # seconds that a snapshot may still be on its way when the end is known


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
    heartbeat : float
        Seconds without news after which it is told how it stands, where no panel shows it.
    kill_on_exit : bool
        Whatever ends the client ends the application.
    bystander : bool
        Whatever ends the client ends it alone.
    listener : callable, optional
        Gets every snapshot too.
    found : AppState
        As the back end last reported it.
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
        heartbeat: float = HEARTBEAT,
        kill_on_exit: bool = False,
        bystander: bool = False,
        listener: Callable[[Snapshot], None] | None = None,
        found: AppState = AppState.SUBMITTED,
    ) -> None:
        self._job = job
        self._cluster = cluster
        self._watcher = watcher
        self._inbox = inbox
        self._console = console
        self._interval = interval
        self._kill_on_exit, self._listener = kill_on_exit, listener
        self._view = View(
            *(job.app_id, job.submitted, console),
            heartbeat=heartbeat,
            board=wants_board(job),
            found=found if job.roles else AppState.SUBMITTED,  # without roles there is nobody to be asked
        )
        self._stopper = Stopper(
            job, cluster, watcher, console, kill_on_exit=kill_on_exit, bystander=bystander
        )
        self._reasons = Reasons(cluster, job.app_id)
        self._delay = _FIRST_ASK
        self._last: Snapshot | None = None
        self._unreachable = False

    def run(self) -> Ending:
        """Follow until the back end reports the end.

        Raises
        ------
        Detached
            The user wants to leave.
        """
        try:
            return self._run()
        except Detached:
            raise
        except BaseException:
            if self._kill_on_exit:
                self._stopper.by_force()
            raise
        finally:
            self._console.close()

    def _run(self) -> Ending:
        while True:
            self._take(self._next())
            if self._must_ask():
                if self._last is not None and self._last.said_again:
                    return Ending(ApplicationReport.of(self._last), self._last, goes_on=True)
                report = self._ask()
                if report is not None and report.state.final:
                    self._drain()
                    return Ending(_decided(report, self._last), self._last)
                if report is not None and self._last is None:
                    if not self._job.roles:  # nothing but reports is to be had of it
                        self._view.reported(report.state)
                    self._view.waits(for_master(report.diagnostics))
            self._look_for_reasons()
            self._stopper.tick()
            self._view.tick()

    def _look_for_reasons(self) -> None:
        reason = self._reasons.look(waits=self._last is not None and missing(self._last) > 0)
        if reason is not None:
            self._view.waits(reason)

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
            self._stopper.signal(event.signum)

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
                self._view.say(f"cannot be asked at the moment, trying again: {error.message}")
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
        self._last = snapshot
        if self._listener is not None:
            self._listener(snapshot)
        self._view.show(snapshot)
        if snapshot.state.final:
            self._delay = _FIRST_ASK

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


def wants_board(job: JobSpec) -> bool:
    """Whether somebody asked for TensorBoard; it is tried for every job, and most do without."""
    return job.app_type == TENSORFLOW or "xlearning.tf.board.enable" in job.properties


def _decided(report: ApplicationReport, last: Snapshot | None) -> ApplicationReport:
    """What the ApplicationMaster decided for good holds, even if YARN saw it die before it was told."""
    if last is None or not last.state.final:
        return report
    if last.retry and last.state is report.state and last.attempt == report.attempt:
        return replace(report, diagnostics=last.reason)  # YARN tries less often than the job wanted
    if last.retry or last.state is report.state:
        return report
    return replace(report, state=last.state, diagnostics=last.reason)
