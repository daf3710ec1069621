"""From a request to a submitted application. Who asked, and who follows it, is not known here."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xlearning.client.backend import BackEnd, OnThisMachine, OnYarn
from xlearning.client.console import Console
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.planning.request import Request
from xlearning.client.problems import Problem, refuse
from xlearning.client.settings import user_name
from xlearning.config import Config
from xlearning.errors import ConfigError, CredentialsError
from xlearning.fs import FileSystems
from xlearning.job import JobSpec


@dataclass(frozen=True)
class Draft:
    """A job that is planned, and what it was planned with."""

    plan: Plan
    config: Config
    fss: FileSystems
    setting: Setting


def open_back_end(config: Config, problems: Sequence[Problem] = (), *, local: bool) -> BackEnd:
    """This machine or YARN; without a usable Hadoop configuration no path can be looked at.

    Raises
    ------
    xlearning.errors.UsageError
        With ``problems``, where YARN cannot be set up.
    """
    if local:
        return OnThisMachine(config, user_name(os.environ))
    try:
        return OnYarn(os.environ, user_name(os.environ), config)
    except (ConfigError, CredentialsError) as error:
        refuse([*problems, Problem(error.message, error.hint or "")])
        raise


def draft(
    request: Request,
    config: Config | None,
    back_end: BackEnd,
    console: Console,
    *,
    local: bool,
    problems: Sequence[Problem] = (),
    to_run: bool = True,
) -> Draft:
    """Plan a job.

    Parameters
    ----------
    config : Config or None
        None where it could not be read; ``problems`` then says why, and the paths are still looked at.
    problems : sequence of Problem
        What is known to be wrong already.
    to_run : bool
        Whether it will be submitted: then what dead jobs have left is put in order first.

    Raises
    ------
    xlearning.errors.XLearningError
        Anything that is wrong with it.
    """
    known, now, user = config or Config.from_properties({}), time.time(), back_end.user
    fss = FileSystems(back_end.default_fs, timeout=known.get("xlearning.fs.timeout"), user=user)
    if config is not None and to_run:
        from xlearning.client.sweep import sweep_dead

        back_end.warm_up()
        sweep_dead(back_end.staging_root(config, fss), user, fss, back_end.cluster, console)
        back_end.sweep(fss, console)
    setting = Setting(user, now, back_end.default_fs, back_end.cluster.report, local)
    plan = make_plan(request, known, fss, setting, problems=problems, config_complete=config is not None)
    return Draft(plan, known, fss, setting)


def make_ready(made: Draft, back_end: BackEnd, console: Console) -> None:
    """Everything before the submission that may take long and can be interrupted."""
    from xlearning.client.planning.outputs import sweep_remains

    sweep_remains(made.plan.sweep, made.fss, user=made.setting.user, report=made.setting.report)
    back_end.prepare(made.plan, made.config, made.fss, console)


def start(made: Draft, back_end: BackEnd, check: Callable[[], None]) -> JobSpec:
    """Stage and submit, see `BackEnd.start`."""
    return back_end.start(made.plan, made.config, made.fss, made.setting.now, check)
