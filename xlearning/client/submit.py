"""``xl-submit`` from the command line to the exit code: plan, submit, follow."""

from __future__ import annotations

import dataclasses
import os
import queue
import sys

from xlearning.client.answers import tell
from xlearning.client.backend import BackEnd
from xlearning.client.codes import EXIT_CLIENT, EXIT_JOB, EXIT_OK, EXIT_SIGNAL
from xlearning.client.console import Console
from xlearning.client.following.follow import Detached, Follower
from xlearning.client.following.watch import Event, Watcher
from xlearning.client.line import layers_of, request_of
from xlearning.client.scan import Scan
from xlearning.client.settings import read_config
from xlearning.client.submission import Draft, draft, make_ready, open_back_end, start
from xlearning.config import Config
from xlearning.job import AppState, JobSpec


def run(line: Scan, console: Console) -> int:
    """Submit the job of a command line and follow it; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        Anything that is wrong before the application has started.
    """
    request, layers = request_of(line), layers_of(line)
    config = read_config(layers, line.problems)
    local, dry = line.given("local"), line.given("dry-run")
    back_end = open_back_end(config or Config.from_properties({}), line.problems, local=local)
    try:
        made = draft(request, config, back_end, console, local=local, problems=line.problems, to_run=not dry)
        for note in (*made.config.warnings, *line.notes, *made.plan.notes):
            console.warn(note)
        return _show(made, back_end, console) if dry else _launch(line, made, back_end, console)
    finally:
        back_end.close()


def _show(made: Draft, back_end: BackEnd, console: Console) -> int:
    from xlearning.client.planning.dryrun import render

    text = render(made.plan, made.config, back_end.describe(made.plan, made.config, made.fss))
    return EXIT_OK if tell(text, console) else EXIT_CLIENT


def _launch(line: Scan, made: Draft, back_end: BackEnd, console: Console) -> int:
    from xlearning.client.following.interrupts import Interrupts

    if line.given("verbose"):
        from xlearning.client.planning.dryrun import properties

        console.block(["Properties that are not defaults", *properties(made.config)], good=True)
    inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with Interrupts() as interrupts:
        make_ready(made, back_end, console)
        interrupts.redirect(inbox)
        job = start(made, back_end, interrupts.check)
        tell(job.app_id, console)
        crew = ", ".join(f"{role.name} {role.instances}" for role in job.roles)
        console.info(f"Submitted {job.app_name} ({crew}) as {job.app_id}")
        back_end.started(job.app_id, made.config, console)
        watcher = Watcher(made.fss, job.staging, inbox)
        watcher.start()
        try:
            return _follow(job, made, back_end, watcher, inbox, console)
        except Detached as left:
            console.warn(f"left alone: {job.app_id} is not followed any more")
            return EXIT_SIGNAL + left.signum
        finally:
            watcher.stop()


def _follow(
    job: JobSpec,
    made: Draft,
    back_end: BackEnd,
    watcher: Watcher,
    inbox: queue.SimpleQueue[Event],
    console: Console,
) -> int:
    from xlearning.client.following.epilogue import epilogue, first_failure
    from xlearning.client.following.outcome import all_logs, logs, published
    from xlearning.client.sweep import settle_quietly

    cluster, config, fss = back_end.cluster, made.config, made.fss
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
