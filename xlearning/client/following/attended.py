"""A job until the client leaves it: followed, settled, and told how it ended."""

from __future__ import annotations

import queue
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xlearning.client.answers import answer_json
from xlearning.client.codes import EXIT_CLIENT, EXIT_JOB, EXIT_OK, EXIT_SIGNAL
from xlearning.client.console import Console
from xlearning.client.following.banner import left_alone
from xlearning.client.following.follow import Detached, Ending, Follower
from xlearning.client.following.venue import Venue
from xlearning.client.following.watch import Event, Watcher
from xlearning.client.following.ways import Ways
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ClusterError
from xlearning.job import AppState, JobSpec, Snapshot, to_dict

if TYPE_CHECKING:
    from xlearning.client.following.log_stream import LogStream


class Attended:
    """One job, and how its client wants to follow it.

    Parameters
    ----------
    more : sequence of str
        Words without which a verb would not find the job.
    found : AppState
        In which it is met.
    """

    def __init__(
        self,
        job: JobSpec,
        venue: Venue,
        ways: Ways,
        console: Console,
        more: Sequence[str] = (),
        *,
        found: AppState = AppState.SUBMITTED,
    ) -> None:
        self._job, self._venue, self._ways, self._console = job, venue, ways, console
        self._more, self._found = more, found

    def to_the_end(self, inbox: queue.SimpleQueue[Event]) -> int:
        """Follow it as far as is wanted; the exit code.

        Parameters
        ----------
        inbox : queue
            Where the user's signals arrive.
        """
        if self._ways.detach:
            return EXIT_OK if self._left() else EXIT_CLIENT
        try:
            ending = self._follow(inbox)
        except Detached as left:
            self._console.warn(left_alone(self._job.app_id, self._more))
            self._left()
            return EXIT_SIGNAL + left.signum
        return self.ended(ending)

    def _follow(self, inbox: queue.SimpleQueue[Event]) -> Ending:
        watcher = Watcher(self._venue.fss, self._job.staging, inbox, self._venue.owner)
        stream = self._stream()
        follower = Follower(
            self._job,
            self._venue.cluster,
            watcher,
            inbox,
            self._console,
            interval=self._venue.config.get("xlearning.log.pull.interval"),
            heartbeat=self._venue.config.get("xlearning.client.heartbeat.interval"),
            kill_on_exit=self._ways.kill_on_exit,
            bystander=self._ways.bystander,
            listener=stream.update if stream else None,
            found=self._found,
        )
        watcher.start()
        try:
            ending = follower.run()
            if stream is not None:
                stream.finish()
            return ending
        finally:
            watcher.stop()
            if stream is not None:
                stream.stop()

    def ended(self, ending: Ending) -> int:
        """Settle it and tell how it ended; the exit code."""
        from xlearning.client.following.outcome import conclude

        outcome = conclude(self._job, ending, self._venue, self._console)
        self._console.block(list(outcome.lines), good=outcome.good)
        told = self._tell_json(outcome.report, outcome.snapshot, tuple(outcome.published))
        if not outcome.good:
            return EXIT_JOB
        return EXIT_OK if told else EXIT_CLIENT

    def _stream(self) -> LogStream | None:
        if self._ways.logs is None:
            return None
        from xlearning.client.following.log_stream import LogStream

        source = self._venue.log_source(self._job.app_id)
        pause = self._venue.config.get("xlearning.log.pull.interval")
        stream = LogStream(source, self._ways.logs, self._console, pause=pause)
        stream.start()
        return stream

    def _left(self) -> bool:
        """Nobody waits for the end; whether what is to be told of that could be written."""
        if not self._ways.as_json:
            return True
        try:
            report = self._venue.cluster.report(self._job.app_id)
        except ClusterError:
            report = ApplicationReport(
                self._job.app_id, self._job.app_name, self._job.user, AppState.SUBMITTED
            )
        return self._tell_json(report)

    def _tell_json(
        self, report: ApplicationReport, snapshot: Snapshot | None = None, published: Sequence[str] = ()
    ) -> bool:
        if not self._ways.as_json:
            return True
        from xlearning.client.following.outcome_json import outcome

        backend, now = self._venue.name, time.time()
        told = outcome(self._job, report, snapshot, backend=backend, now=now, published=published)
        return answer_json(to_dict(told), self._console)
