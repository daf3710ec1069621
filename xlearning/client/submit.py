"""``xl-submit`` from the command line to the exit code: plan, submit, follow."""

from __future__ import annotations

import queue

from xlearning.client.answers import tell
from xlearning.client.api.job import Job
from xlearning.client.codes import EXIT_CLIENT, EXIT_JOB, EXIT_OK, EXIT_SIGNAL
from xlearning.client.console import Console
from xlearning.client.following.follow import Detached, Follower
from xlearning.client.following.watch import Event, Watcher
from xlearning.client.scan import Scan
from xlearning.client.settings import Layers, cluster_option, interpreter_of
from xlearning.client.submission import Draft, Submitter
from xlearning.job import JobSpec


def run(line: Scan, console: Console) -> int:
    """Submit the job of a command line and follow it; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        Anything that is wrong before the application has started.
    """
    job, dry = Job.of_line(line), line.given("dry-run")
    layers = Layers(options=cluster_option(line.one("cluster")))
    submitter = Submitter(console, local=line.given("local"), layers=layers)
    try:
        made = submitter.draft(job, line.problems, line.notes, written=line.written, to_run=not dry)
        return _show(made, console) if dry else _launch(line, made, submitter, console)
    finally:
        submitter.close()


def _show(made: Draft, console: Console) -> int:
    from xlearning.client.planning.dryrun import render

    text = render(made.plan, made.config, made.back_end.describe(made.plan, made.config, made.fss))
    return EXIT_OK if tell(text, console) else EXIT_CLIENT


def _launch(line: Scan, made: Draft, submitter: Submitter, console: Console) -> int:
    from xlearning.client.following.interrupts import Interrupts

    if line.given("verbose"):
        from xlearning.client.planning.dryrun import set_properties

        console.block(["Properties that are not defaults", *set_properties(made.config)], good=True)
    for listing in made.plan.listings:
        console.info(f"Input {listing.spec.local}: {listing.amount}")
    inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with Interrupts() as interrupts:
        submitter.make_ready(made)
        interrupts.redirect(inbox)
        job = submitter.start(made, interrupts.check)
        tell(job.app_id, console)
        crew = ", ".join(f"{role.name} {role.instances}" for role in job.roles)
        console.info(f"Submitted {job.app_name} ({crew}) as {job.app_id}")
        made.back_end.started(job.app_id, made.config, console)
        watcher = Watcher(made.fss, job.staging, inbox)
        watcher.start()
        try:
            return _follow(job, made, watcher, inbox, console)
        except Detached as left:
            console.warn(f"left alone: {job.app_id} is not followed any more")
            return EXIT_SIGNAL + left.signum
        finally:
            watcher.stop()


def _follow(
    job: JobSpec, made: Draft, watcher: Watcher, inbox: queue.SimpleQueue[Event], console: Console
) -> int:
    from xlearning.client.following.outcome import conclude

    cluster, config, fss = made.back_end.cluster, made.config, made.fss
    follower = Follower(
        job, cluster, watcher, inbox, console, interval=config.get("xlearning.log.pull.interval")
    )
    ending = follower.run()
    outcome = conclude(job, ending, cluster, fss, made.back_end.tidy, console, interpreter_of(config))
    console.block(list(outcome.lines), good=outcome.good)
    return EXIT_OK if outcome.good else EXIT_JOB
