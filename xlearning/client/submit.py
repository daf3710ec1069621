"""``xl-submit`` from the command line to the exit code: plan, submit, follow."""

from __future__ import annotations

import queue

from xlearning.client.answers import tell
from xlearning.client.api.job import Job
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.following.watch import Event
from xlearning.client.following.ways import Ways, check_logs, ways_of
from xlearning.client.scan import Scan
from xlearning.client.settings import Layers, cluster_option
from xlearning.client.submission import Draft, Submitter


def run(line: Scan, console: Console) -> int:
    """Submit the job of a command line and follow it; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        Anything that is wrong before the application has started.
    """
    job, ways, dry = Job.of_line(line), ways_of(line), line.given("dry-run")
    layers = Layers(options=cluster_option(line.one("cluster")))
    submitter = Submitter(console, local=line.given("local"), layers=layers)
    try:
        made = submitter.draft(job, line.problems, line.notes, written=line.written, to_run=not dry)
        check_logs(ways, made.plan.job)
        return (
            _show(made, console, whole=line.given("verbose"))
            if dry
            else _launch(line, ways, made, submitter, console)
        )
    finally:
        submitter.close()


def _show(made: Draft, console: Console, *, whole: bool) -> int:
    from xlearning.client.planning.dryrun import render

    submission = made.back_end.describe(made.plan, made.config, made.fss) if whole else ""
    text = render(made.plan, made.config, submission)
    return EXIT_OK if tell(text, console) else EXIT_CLIENT


def _launch(line: Scan, ways: Ways, made: Draft, submitter: Submitter, console: Console) -> int:
    from xlearning.client.following.attended import Attended
    from xlearning.client.following.banner import banner, needed
    from xlearning.client.following.interrupts import Interrupts
    from xlearning.client.following.venue import venue_of

    if line.given("verbose"):
        from xlearning.client.planning.dryrun import set_properties

        console.block(["Properties that are not defaults", *set_properties(made.config)], good=True)
    for listing in made.plan.listings:
        console.info(f"{listing.title(made.plan.job.input_strategy)}: {listing.amount}")
    inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with Interrupts() as interrupts:
        submitter.make_ready(made)
        interrupts.redirect(inbox)
        job = submitter.start(made, interrupts.check)
        if not ways.as_json:
            tell(job.app_id, console)
        console.info(banner(job, made.config, line))
        made.back_end.started(job.app_id, made.config, console)
        more = needed(made.config, line)
        return Attended(job, venue_of(made), ways, console, more).to_the_end(inbox)
