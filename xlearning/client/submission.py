"""From a job to an application that has been submitted. Who asked, and who follows it, is not known here."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xlearning.client.api.job import Job
from xlearning.client.api.order import layers_of, request_of
from xlearning.client.back_ends.base import BackEnd
from xlearning.client.back_ends.this_machine import OnThisMachine
from xlearning.client.back_ends.yarn import OnYarn
from xlearning.client.console import Console
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.problems import Problem, refuse
from xlearning.client.settings import Layers, read_config, user_name
from xlearning.cluster.login import KEYTAB, PRINCIPAL
from xlearning.config import Config
from xlearning.errors import ConfigError, CredentialsError
from xlearning.fs import FileSystems
from xlearning.job import JobSpec


@dataclass(frozen=True)
class Draft:
    """A job that is planned, and what it was planned with; ``notes`` are what its user was told."""

    plan: Plan
    config: Config
    fss: FileSystems
    setting: Setting
    back_end: BackEnd
    notes: tuple[str, ...]


class Submitter:
    """Submits jobs to one place. Safe to use from several threads.

    Parameters
    ----------
    local : bool
        This machine; else YARN.
    layers : Layers
        Properties for all jobs; those of a job win.
    keep : bool
        Whether what one submission has started serves the next one too, until `close`.
    """

    def __init__(
        self, console: Console, *, local: bool, layers: Layers | None = None, keep: bool = False
    ) -> None:
        self._console, self._local, self._layers, self._keep = console, local, layers or Layers(), keep
        self._back_ends: dict[object, BackEnd] = {}
        self._lock = threading.RLock()

    def draft(
        self,
        job: Job,
        problems: Sequence[Problem] = (),
        notes: Sequence[str] = (),
        *,
        written: Mapping[str, str] | None = None,
        to_run: bool = True,
    ) -> Draft:
        """Plan a job.

        Parameters
        ----------
        problems : sequence of Problem
            What is known to be wrong already.
        notes : sequence of str
            What the user should know already.
        written : mapping
            Option -> the spelling by which errors name it; see `Scan.written`.
        to_run : bool
            Whether it will be submitted: then what dead jobs have left is put in order first.

        Raises
        ------
        xlearning.errors.XLearningError
            Anything that is wrong with it.
        """
        found, told = list(problems), list(notes)
        config = read_config(layers_of(job, self._layers, written), found, told)
        self._warn(told)
        known = config or Config.from_properties({})
        back_end = self.back_end(known, found)
        now, user = time.time(), back_end.user
        fss = FileSystems(
            back_end.default_fs, timeout=known.get("xlearning.fs.timeout"), user=user, config=known
        )
        away = back_end.reach(known, fss)
        found += away
        if config is not None and to_run and not away:
            from xlearning.client.sweep import sweep_dead

            back_end.warm_up()
            sweep_dead(back_end.staging_root(config, fss), user, fss, back_end.cluster, self._console)
            back_end.sweep(fss, self._console)
        preflight = partial(back_end.preflight, known, fss)
        setting = Setting(
            user, now, back_end.default_fs, back_end.report, self._local, preflight, shown=not to_run
        )
        complete = config is not None
        plan = make_plan(request_of(job), known, fss, setting, problems=found, config_complete=complete)
        self._warn(plan.notes)
        return Draft(plan, known, fss, setting, back_end, (*told, *plan.notes))

    def _warn(self, notes: Sequence[str]) -> None:
        for note in notes:
            self._console.warn(note)

    def make_ready(self, made: Draft) -> None:
        """Everything before the submission that may take long and can be interrupted."""
        from xlearning.client.planning.outputs import sweep_remains

        sweep_remains(made.plan.sweep, made.fss, user=made.setting.user, report=made.setting.report)
        made.back_end.prepare(made.plan, made.config, made.fss, self._console)

    def start(self, made: Draft, check: Callable[[], None]) -> JobSpec:
        """Stage and submit, see `BackEnd.start`."""
        # the clock of the job begins here, as YARN's does: uploads were before
        return made.back_end.start(made.plan, made.config, made.fss, time.time(), check)

    def submit(self, job: Job) -> tuple[JobSpec, Draft]:
        """All steps, one submission at a time."""
        with self._lock:
            made = self.draft(job)
            self.make_ready(made)
            spec = self.start(made, _go_on)
        made.back_end.started(spec.app_id, made.config, self._console)
        return spec, made

    def back_end(self, config: Config, problems: Sequence[Problem] = ()) -> BackEnd:
        """This machine or YARN; without a usable Hadoop configuration no path can be looked at.

        Raises
        ------
        xlearning.errors.UsageError
            With ``problems``, where YARN cannot be set up.
        """
        if self._local:
            return OnThisMachine(config, user_name(os.environ))
        who = (config.get(KEYTAB), config.get(PRINCIPAL))
        with self._lock:
            if who not in self._back_ends:
                try:
                    self._back_ends[who] = OnYarn(os.environ, user_name(os.environ), config, keep=self._keep)
                except CredentialsError as error:  # told with what is known without the cluster
                    return OnYarn(os.environ, user_name(os.environ), config, refused=error)
                except ConfigError as error:
                    refuse([*problems, Problem(error.message, error.hint or "")])
                    raise
            return self._back_ends[who]

    def close(self) -> None:
        """Give back what submissions have started; applications go on."""
        with self._lock:
            for back_end in self._back_ends.values():
                back_end.close()
            self._back_ends.clear()


def _go_on() -> None:
    """Nobody interrupts."""
