"""One application as Python users hold it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xlearning.client.api import arguments
from xlearning.client.api.logs import LogLine, log_lines
from xlearning.client.api.waiting import OnChange, await_end
from xlearning.client.console import Console
from xlearning.client.following.again import spec_of, venue_at
from xlearning.client.following.follow import Ending
from xlearning.client.following.outcome import conclude
from xlearning.client.verbs import kill, save
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.log_reading import Wish
from xlearning.client.verbs.standing import standing, state_of
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.errors import JobFailed
from xlearning.job import AppState, BoardView, InputStrategy, JobSpec, SaveView, Snapshot


@dataclass(frozen=True)
class Result:
    """How an application ended.

    Attributes
    ----------
    state : AppState
        ``SUCCEEDED``, ``FAILED`` or ``KILLED``.
    reason : str
        Why it did not succeed; may be empty.
    snapshot : Snapshot
        The last one: containers with their exit codes and last lines, saves, times.
    outputs : mapping
        URI of a published folder -> names of what is in it, the first few.
    text : str
        What ``xl-submit`` says at the end, for people.
    """

    app_id: str
    state: AppState
    reason: str
    snapshot: Snapshot
    outputs: Mapping[str, Sequence[str]]
    text: str

    @property
    def succeeded(self) -> bool:
        """Whether all is well."""
        return self.state is AppState.SUCCEEDED

    def check(self) -> Result:
        """The result itself, if the application succeeded.

        Raises
        ------
        xlearning.errors.JobFailed
            It failed or was killed; the message says which container did first, why, and its last lines.
        """
        if not self.succeeded:
            raise JobFailed(self.text)
        return self

    def __repr__(self) -> str:
        """Its first words."""
        return f"<Result {self.text.splitlines()[0]}>"


class Application:
    """An application that was submitted: how it stands, its end, its logs. From `Client`.

    Safe to use from several threads. Prints nothing and takes no signals. Interrupting a call (Ctrl-C)
    leaves the application as it is.

    Attributes
    ----------
    id : str
        ``application_...``.
    name : str
    notes : tuple of str
        What was decided for the user at the submission, one sentence each.
    """

    def __init__(
        self,
        found: Found,
        config: Config,
        console: Console,
        *,
        job: JobSpec | None = None,
        notes: Sequence[str] = (),
        release: Callable[[], None],
    ) -> None:
        self.id, self.name, self.notes = found.app_id, found.report.name, tuple(notes)
        self._found, self._job = found, job
        self._config, self._console, self._release = config, console, release

    @property
    def state(self) -> AppState:
        """The state when it was last asked for; nobody is asked."""
        return self._found.report.state

    @property
    def page(self) -> str:
        """Address of its page; empty where there is none (yet)."""
        return self.status().page_url

    def status(self) -> Snapshot:
        """How it stands now: from its ApplicationMaster, its history, or as far as the back end knows.

        Raises
        ------
        xlearning.errors.ClusterError
            The back end does not know it any more, or does not answer.
        """
        now = standing(self._look())
        snapshot = now.snapshot or _bare(now.report)
        return dataclasses.replace(snapshot, state=state_of(now))

    def wait(self, timeout: float | None = None, on_change: OnChange | None = None) -> Result:
        """Wait for the end, and put in order what the application has left.

        Parameters
        ----------
        timeout : float, optional
            Seconds; no limit by default.
        on_change : callable, optional
            Called, in this thread, with every new `Snapshot`. What it raises ends the wait.

        Returns
        -------
        Result
            Whether it succeeded or not; ``wait().check()`` raises where it did not.

        Raises
        ------
        xlearning.errors.WaitTimeout
            It has not ended in time; it goes on.
        """
        timeout = arguments.seconds("timeout", timeout)
        arguments.callback("on_change", on_change)
        found = self._look()
        place, job = found.place, self._spec(found)
        ending = Ending(found.report, None)
        if not found.report.state.final:
            interval = self._config.get("xlearning.log.pull.interval")
            ending = await_end(
                job, found, self._console, interval=interval, timeout=timeout, on_change=on_change
            )
        self._found = Found(ending.report, place)
        return self._result(job, ending)

    def kill(self, reason: str = "") -> AppState:
        """End it, in good order if possible, and wait for that; the state in which it ended.

        Parameters
        ----------
        reason : str
            Told to whoever follows it, and kept with it.

        Raises
        ------
        xlearning.errors.ClusterError
            It could not be ended, or refuses because it is committing its output.
        """
        arguments.text("reason", reason)
        try:
            report = kill.end(self._look(), self._console, reason=reason, wait=True)
        finally:
            self._release()
        assert report is not None, "it was waited for"
        self._found = Found(report, self._found.place)
        return report.state

    def save(self, *, wait: bool = True) -> SaveView:
        """Save its output as it is now, while it runs; see ``xl-submit save``.

        Parameters
        ----------
        wait : bool
            Wait for the end of the save, which may be partial or failed: `SaveView.state`.

        Raises
        ------
        xlearning.errors.ClusterError
            It could not be asked for.
        """
        return save.save(self._look(), self._console, wait=wait)

    def logs(
        self,
        role: str | None = None,
        index: int | None = None,
        *,
        container: str | None = None,
        files: Sequence[str] | str = (),
        tail: int | None = None,
        follow: bool = False,
    ) -> Iterator[LogLine]:
        """What its programs have written, line by line, file by file.

        Parameters
        ----------
        role, index : str, int, optional
            Containers of one role (``am``: the ApplicationMaster), or the one with this index in it.
        container : str, optional
            One container, by its id or the end of it.
        files : sequence of str, or str
            Other files than stdout and stderr, such as ``agent.log``.
        tail : int, optional
            The last lines of each file only.
        follow : bool
            Go on with what is written, until the application has ended.

        Raises
        ------
        xlearning.errors.XLearningError
            There are none, or they cannot be read.
        """
        wish = Wish(
            arguments.text_or_none("role", role),
            arguments.whole("index", index),
            arguments.text_or_none("container", container),
            arguments.texts("files", files),
            arguments.whole("tail", tail),
            bool(follow),
        )
        return log_lines(self._look(), wish, self._console)

    def __repr__(self) -> str:
        """Id, name, place and the state when it was last asked for."""
        return f"<Application {self.id} {self.name!r} on {self._found.place.title}: {self.state.value}>"

    def _look(self) -> Found:
        """The newest report. One of an end stays true."""
        if not self._found.report.state.final:
            self._found = Found(self._found.place.report(self.id), self._found.place)
        return self._found

    def _spec(self, found: Found) -> JobSpec:
        """What following needs to know of the job, as it was staged or as far as it is known."""
        if self._job is None:
            self._job = spec_of(found)
        return self._job

    def _result(self, job: JobSpec, ending: Ending) -> Result:
        place = self._found.place
        outcome = conclude(job, ending, venue_at(self._found, self._config), self._console)
        self._found = Found(outcome.report, place)
        snapshot = outcome.snapshot or _bare(ending.report)
        reason = "" if outcome.good else outcome.report.diagnostics.strip() or snapshot.reason
        snapshot = dataclasses.replace(snapshot, state=outcome.report.state)
        return Result(
            self.id, outcome.report.state, reason, snapshot, outcome.published, "\n".join(outcome.lines)
        )


def _bare(report: ApplicationReport) -> Snapshot:
    """A snapshot of an application of which only the back end has told."""
    return Snapshot(
        app_id=report.app_id,
        app_name=report.name,
        app_type=report.app_type,
        user=report.user,
        attempt=report.attempt,
        state=report.state,
        phase=report.state.value,
        reason=report.diagnostics,
        version=0,
        submitted=report.submitted,
        started=0.0,
        finished=report.finished,
        progress=None,
        command=(),
        roles=(),
        containers=(),
        inputs=(),
        input_strategy=InputStrategy.DOWNLOAD,
        outputs=(),
        board=BoardView(enabled=False),
    )
