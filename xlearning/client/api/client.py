"""The place where jobs run, as Python users hold it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import TracebackType

from xlearning.client.api import arguments, values
from xlearning.client.api.application import Application
from xlearning.client.api.job import FIELDS, Job, Pairs, Paths
from xlearning.client.api.quiet import LoggingConsole
from xlearning.client.api.spelling import fields_named
from xlearning.client.back_ends.base import BackEnd
from xlearning.client.console import Console
from xlearning.client.planning.plan import Plan
from xlearning.client.problems import Problem, refuse
from xlearning.client.settings import Layers, cluster_option, read_config
from xlearning.client.submission import Submitter
from xlearning.client.verbs.applications import Found, find_in
from xlearning.client.verbs.places import LocalPlace, Place, YarnPlace
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.job import AppState, JobSpec


class Client:
    """One place for jobs: YARN, or this machine. Use it as a context, or `close` it.

    All jobs share what takes long to start (on YARN a JVM of skein's). Safe to use from several threads;
    submissions come one after the other. Takes no signals and prints nothing: messages go to the logger
    ``xlearning``, unless a console is given. On YARN the environment of this process counts, as for every
    Hadoop client: ``HADOOP_CONF_DIR``, ``HADOOP_USER_NAME``, ``KRB5CCNAME``.

    Parameters
    ----------
    local : bool
        This machine: no Hadoop, no Java; containers are processes.
    conf : mapping
        Properties for all jobs; those of a job win.
    conf_files : sequence of str or Path
        Files of properties in Hadoop's XML, below ``conf``.
    cluster : str, optional
        Another Hadoop cluster than that of ``HADOOP_CONF_DIR``, as ``--cluster`` names it. It becomes that of
        the whole process.
    console : Console, optional
        Where messages for people go, such as `xlearning.client.console.open_console` makes one.

    Raises
    ------
    xlearning.errors.UsageError
        A value of ``conf`` or ``conf_files`` cannot be one.

    Examples
    --------
    >>> with Client(local=True) as client:
    ...     application = client.submit(Job("python train.py", worker_num=2, files=["train.py"]))
    ...     application.wait().check()
    """

    def __init__(
        self,
        *,
        local: bool = False,
        conf: Pairs = None,
        conf_files: Paths = None,
        cluster: str | None = None,
        console: Console | None = None,
    ) -> None:
        self._local, self._console, self._closed = local, console or LoggingConsole(), False
        self._layers = _layers(conf, conf_files, cluster)
        self._submitter = Submitter(self._console, local=local, layers=self._layers, keep=True)

    def plan(self, job: Job) -> Plan:
        """What would run: roles, files with sizes, notes. Nothing is written or started.

        Raises
        ------
        xlearning.errors.UsageError
            With everything that is wrong with the job.
        """
        with fields_named():
            return self._open().draft(arguments.job(job), to_run=False).plan

    def submit(self, job: Job) -> Application:
        """Submit a job. It goes on when this process ends.

        Raises
        ------
        xlearning.errors.UsageError
            With everything that is wrong with the job; nothing was started.
        xlearning.errors.XLearningError
            It could not be submitted; nothing runs.
        """
        with fields_named():
            spec, made = self._open().submit(arguments.job(job))
        place = self._place(made.config, made.back_end)
        return self._application(Found(_submitted(spec), place), made.config, spec, made.notes)

    def application(self, app_id: str) -> Application:
        """An application of this place: by its id, by the end of the id of one's own, or ``last``.

        Raises
        ------
        xlearning.errors.ApplicationNotFound
            It is not known here.
        xlearning.errors.UsageError
            No application of one's own, or more than one, has this end.
        """
        wanted = arguments.text("app_id", app_id)
        place, config = self._look()
        return self._application(find_in(wanted, place), config)

    def applications(
        self, states: Iterable[AppState | str] | None = None, limit: int | None = None
    ) -> list[Application]:
        """One's own applications of this place, the newest first.

        Parameters
        ----------
        states : iterable of AppState or str, optional
            Only those in one of these states, as the place knows them.
        limit : int, optional
            At most so many.
        """
        wanted, limit = None if states is None else _states(states), arguments.whole("limit", limit)
        place, config = self._look()
        found = sorted(place.cluster.list(), key=lambda report: -report.submitted)
        shown = [report for report in found if wanted is None or report.state in wanted][:limit]
        return [self._application(Found(report, place), config) for report in shown]

    def close(self) -> None:
        """Give back what was started here. Applications go on, and can still be asked."""
        self._closed = True
        self._submitter.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        """Its place."""
        return f"<Client on {'this machine' if self._local else 'YARN'}{', closed' if self._closed else ''}>"

    def _open(self) -> Submitter:
        if self._closed:
            raise UsageError("this client was closed", hint="make another one")
        return self._submitter

    def _look(self) -> tuple[Place, Config]:
        problems: list[Problem] = []
        config = read_config(self._layers, problems, [])
        refuse(problems)
        assert config is not None, "or there was a problem"
        return self._place(config, self._open().back_end(config)), config

    def _place(self, config: Config, back_end: BackEnd) -> Place:
        if self._local:
            return LocalPlace(config, back_end.user, self._console.warn)
        return YarnPlace(config, os.environ, back_end.user, back_end)

    def _application(
        self, found: Found, config: Config, job: JobSpec | None = None, notes: Iterable[str] = ()
    ) -> Application:
        return Application(found, config, self._console, job=job, notes=tuple(notes), release=self._release)

    def _release(self) -> None:
        """End what an application had to start after the client was closed."""
        if self._closed:
            self._submitter.close()


def submit(
    job: Job,
    *,
    local: bool = False,
    wait: bool = False,
    conf: Pairs = None,
    conf_files: Paths = None,
) -> Application:
    """Submit one job. See `Client`, which is better for several.

    Parameters
    ----------
    wait : bool
        Wait for its end, be it good or bad: ``submit(job, wait=True).wait().check()`` raises where it is bad.
    """
    arguments.job(job)
    with Client(local=local, conf=conf, conf_files=conf_files) as client:
        application = client.submit(job)
        if wait:
            application.wait()
        return application


def _layers(conf: Pairs, conf_files: Paths, cluster: str | None) -> Layers:
    problems: list[Problem] = []
    pairs: Mapping[str, str] = values.kept(FIELDS["conf"], conf, "conf", problems) or {}
    files: tuple[str, ...] = values.kept(FIELDS["conf_file"], conf_files, "conf_files", problems) or ()
    refuse(problems)
    return Layers(files, tuple(pairs.items()), cluster_option(cluster))


def _states(states: Iterable[AppState | str]) -> set[AppState]:
    if isinstance(states, str):
        states = (states,)
    try:
        return {AppState(state.upper() if isinstance(state, str) else state) for state in states}
    except (ValueError, TypeError, AttributeError) as error:
        names = ", ".join(state.value for state in AppState)
        raise UsageError(f"states={states!r}: not all are states", hint=f"there are {names}") from error


def _submitted(spec: JobSpec) -> ApplicationReport:
    return ApplicationReport(
        app_id=spec.app_id,
        name=spec.app_name,
        user=spec.user,
        state=AppState.SUBMITTED,
        submitted=spec.submitted,
        app_type=spec.app_type,
    )
