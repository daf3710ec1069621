"""``xl-submit`` from the command line to the exit code: plan, stage, submit, follow."""

from __future__ import annotations

import dataclasses
import getpass
import os
import queue
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from xlearning.client.backend import BackEnd, OnThisMachine, OnYarn
from xlearning.client.console import Console, silence
from xlearning.client.following.follow import Detached, Follower
from xlearning.client.following.watch import Event, Watcher
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.problems import Problem, refuse
from xlearning.client.scan import Scan
from xlearning.config import Config, find_conf_dir, load
from xlearning.errors import ConfigError
from xlearning.fs import FileSystems
from xlearning.job import AppState, JobSpec

EXIT_OK, EXIT_CLIENT, EXIT_JOB, EXIT_SIGNAL = 0, 1, 2, 128


def run(line: Scan, console: Console) -> int:
    """Submit the job of a command line and follow it; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        Anything that is wrong before the application has started.
    """
    problems = list(line.problems)
    config = read_config(line, problems)
    fallback = config or Config.from_properties({})
    back_end = _back_end(line, fallback, problems)
    try:
        return _run(line, config, fallback, back_end, problems, console)
    finally:
        back_end.close()


def _back_end(line: Scan, config: Config, problems: list[Problem]) -> BackEnd:
    """This machine or YARN; without a usable Hadoop configuration no path can be looked at."""
    if line.given("local"):
        return OnThisMachine(config, user_name(os.environ))
    try:
        return OnYarn(os.environ, user_name(os.environ), config)
    except ConfigError as error:
        refuse([*problems, Problem(error.message, error.hint or "")])
        raise


def _run(
    line: Scan,
    config: Config | None,
    fallback: Config,
    back_end: BackEnd,
    problems: list[Problem],
    console: Console,
) -> int:
    cluster, now, user = back_end.cluster, time.time(), back_end.user
    fss = FileSystems(back_end.default_fs, timeout=fallback.get("xlearning.fs.timeout"), user=user)
    unreached = back_end.reach(fallback, fss)
    problems += unreached
    if config is not None and not line.given("dry-run") and not unreached:
        from xlearning.client.sweep import sweep_dead

        back_end.warm_up()
        sweep_dead(back_end.staging_root(config, fss), user, fss, cluster, console)
        back_end.sweep(fss, console)
    preflight = partial(back_end.preflight, fallback, fss)
    setting = Setting(user, now, back_end.default_fs, back_end.report, preflight)
    plan = make_plan(line, fallback, fss, setting, problems=problems, config_complete=config is not None)
    for note in (*fallback.warnings, *line.notes, *plan.notes):
        console.warn(note)
    if line.given("dry-run"):
        from xlearning.client.planning.dryrun import render

        text = render(plan, fallback, back_end.describe(plan, fallback, fss))
        return EXIT_OK if tell(text, console) else EXIT_CLIENT
    for listing in plan.listings:
        console.info(f"Input {listing.spec.local}: {listing.amount}")
    if line.given("verbose"):
        from xlearning.client.planning.dryrun import properties

        console.block(["Properties that are not defaults", *properties(fallback)], good=True)
    return _launch(plan, fallback, fss, back_end, console, setting)


def user_name(environ: Mapping[str, str]) -> str:
    """The user as Hadoop sees it: ``HADOOP_USER_NAME``, else the one who is logged in."""
    return environ.get("HADOOP_USER_NAME") or getpass.getuser()


def read_config(line: Scan, problems: list[Problem]) -> Config | None:
    """The configuration; None, and a problem more, when it cannot be used."""
    pairs = []
    for text in line.many("conf"):
        name, sep, value = text.partition("=")
        if not sep or not name.strip():
            problems.append(Problem(f"--conf {text} is not a pair", "write --conf KEY=VALUE"))
            continue
        pairs.append((name.strip(), value))
    try:
        return load(
            environ=os.environ,
            conf_dir=find_conf_dir(os.environ),
            conf_files=[Path(text) for text in line.many("conf-file")],
            overrides=pairs,
            options=line.properties(),
        )
    except ConfigError as error:
        problems.append(Problem(error.message, error.hint or ""))
        return None


def tell(text: str, console: Console) -> bool:
    """Write to standard output; False, with a warning, where that fails: no reason to leave a job."""
    try:
        print(text, flush=True)
    except OSError as error:
        silence(sys.stdout)
        console.warn(f"standard output cannot be written: {error.strerror}")
        return False
    return True


def _launch(
    plan: Plan, config: Config, fss: FileSystems, back_end: BackEnd, console: Console, setting: Setting
) -> int:
    from xlearning.client.following.interrupts import Interrupts
    from xlearning.client.planning.outputs import sweep_remains

    inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with Interrupts() as interrupts:
        sweep_remains(plan.sweep, fss, user=setting.user, report=setting.report)
        back_end.prepare(plan, config, fss, console)
        interrupts.redirect(inbox)
        job = back_end.start(plan, config, fss, setting.now, interrupts.check)
        tell(job.app_id, console)
        crew = ", ".join(f"{role.name} {role.instances}" for role in job.roles)
        console.info(f"Submitted {job.app_name} ({crew}) as {job.app_id}")
        back_end.started(job.app_id, config, console)
        watcher = Watcher(fss, job.staging, inbox)
        watcher.start()
        try:
            return _follow(job, config, fss, back_end, watcher, inbox, console)
        except Detached as left:
            console.warn(f"left alone: {job.app_id} is not followed any more")
            return EXIT_SIGNAL + left.signum
        finally:
            watcher.stop()


def _follow(
    job: JobSpec,
    config: Config,
    fss: FileSystems,
    back_end: BackEnd,
    watcher: Watcher,
    inbox: queue.SimpleQueue[Event],
    console: Console,
) -> int:
    from xlearning.client.following.epilogue import epilogue, first_failure
    from xlearning.client.following.outcome import all_logs, logs, published
    from xlearning.client.sweep import settle_quietly

    cluster = back_end.cluster
    follower = Follower(
        job, cluster, watcher, inbox, console, interval=config.get("xlearning.log.pull.interval")
    )
    ending = follower.run()
    report = ending.report
    if not ending.goes_on:
        if settle_quietly(job, fss, console):
            # a commit begins when everything has succeeded and is uploaded: now the output is whole
            report = dataclasses.replace(report, state=AppState.SUCCEEDED)
        back_end.tidy(job.app_id, fss, console)
    good = report.state is AppState.SUCCEEDED
    failed = first_failure(ending.snapshot)
    untroubled = good or (report.state is AppState.KILLED and failed is None)
    found = all_logs(cluster, report, ending.snapshot) if untroubled else None
    lines = epilogue(
        report,
        ending.snapshot,
        logs=logs(cluster, report, failed.id if failed else "") if found is None else found,
        published=published(job, fss) if good else {},
        python=config.get("xlearning.python") or os.path.realpath(sys.executable),
    )
    console.block(lines, good=good)
    return EXIT_OK if good else EXIT_JOB
