"""A submitted job until the client leaves it: followed, settled, and told how it ended."""

from __future__ import annotations

import queue
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xlearning.client.answers import answer_json
from xlearning.client.codes import EXIT_JOB, EXIT_OK, EXIT_SIGNAL
from xlearning.client.console import Console
from xlearning.client.following.follow import Detached, Ending, Follower
from xlearning.client.following.watch import Event, Watcher
from xlearning.client.following.ways import Ways
from xlearning.client.settings import interpreter_of
from xlearning.client.submission import Draft
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ClusterError
from xlearning.job import AppState, JobSpec, Snapshot, to_dict

if TYPE_CHECKING:
    from xlearning.client.following.log_stream import LogStream


class Attended:
    """One job that was just submitted, and how its client wants to follow it."""

    def __init__(self, job: JobSpec, made: Draft, ways: Ways, console: Console) -> None:
        self._job, self._made, self._ways, self._console = job, made, ways, console
        self._cluster = made.back_end.cluster

    def to_the_end(self, inbox: queue.SimpleQueue[Event]) -> int:
        """Follow it as far as is wanted; the exit code.

        Parameters
        ----------
        inbox : queue
            Where the user's signals arrive.
        """
        if self._ways.detach:
            self._left()
            return EXIT_OK
        try:
            ending = self._follow(inbox)
        except Detached as left:
            self._console.warn(f"left alone: {self._job.app_id} goes on, and is not followed any more")
            self._left()
            return EXIT_SIGNAL + left.signum
        return self._ended(ending)

    def _follow(self, inbox: queue.SimpleQueue[Event]) -> Ending:
        watcher = Watcher(self._made.fss, self._job.staging, inbox)
        stream = self._stream()
        follower = Follower(
            self._job,
            self._cluster,
            watcher,
            inbox,
            self._console,
            interval=self._made.config.get("xlearning.log.pull.interval"),
            heartbeat=self._made.config.get("xlearning.client.heartbeat.interval"),
            kill_on_exit=self._ways.kill_on_exit,
            listener=stream.update if stream else None,
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

    def _ended(self, ending: Ending) -> int:
        from xlearning.client.following.outcome import conclude

        made, python = self._made, interpreter_of(self._made.config)
        outcome = conclude(
            self._job, ending, self._cluster, made.fss, made.back_end.tidy, self._console, python
        )
        self._console.block(list(outcome.lines), good=outcome.good)
        self._tell_json(outcome.report, ending.snapshot, tuple(outcome.published))
        return EXIT_OK if outcome.good else EXIT_JOB

    def _stream(self) -> LogStream | None:
        if self._ways.logs is None:
            return None
        from xlearning.client.following.log_stream import LogStream

        source = self._made.back_end.log_source(self._job.app_id)
        pause = self._made.config.get("xlearning.log.pull.interval")
        stream = LogStream(source, self._ways.logs, self._console, pause=pause)
        stream.start()
        return stream

    def _left(self) -> None:
        """Nobody waits for the end."""
        if self._ways.as_json:
            try:
                report = self._cluster.report(self._job.app_id)
            except ClusterError:
                report = ApplicationReport(
                    self._job.app_id, self._job.app_name, self._job.user, AppState.SUBMITTED
                )
            self._tell_json(report)

    def _tell_json(
        self, report: ApplicationReport, snapshot: Snapshot | None = None, published: Sequence[str] = ()
    ) -> None:
        if not self._ways.as_json:
            return
        from xlearning.client.following.outcome_json import outcome

        backend, now = self._made.back_end.name, time.time()
        told = outcome(self._job, report, snapshot, backend=backend, now=now, published=published)
        answer_json(to_dict(told), self._console)
