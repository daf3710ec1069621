"""``xl-submit`` from the command line to the exit code: plan, submit, follow."""

from __future__ import annotations

import queue

from xlearning.client.answers import tell
from xlearning.client.backend import BackEnd
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.following.watch import Event
from xlearning.client.following.ways import Ways, check_logs, ways_of
from xlearning.client.line import layers_of, request_of
from xlearning.client.scan import Scan
from xlearning.client.settings import read_config
from xlearning.client.submission import Draft, draft, make_ready, open_back_end, start
from xlearning.config import Config


def run(line: Scan, console: Console) -> int:
    """Submit the job of a command line and follow it; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        Anything that is wrong before the application has started.
    """
    request, layers, ways = request_of(line), layers_of(line), ways_of(line)
    config = read_config(layers, line.problems)
    local, dry = line.given("local"), line.given("dry-run")
    back_end = open_back_end(config or Config.from_properties({}), line.problems, local=local)
    try:
        made = draft(request, config, back_end, console, local=local, problems=line.problems, to_run=not dry)
        check_logs(ways, made.plan.job)
        for note in (*made.config.warnings, *line.notes, *made.plan.notes):
            console.warn(note)
        return _show(made, back_end, console) if dry else _launch(line, ways, made, back_end, console)
    finally:
        back_end.close()


def _show(made: Draft, back_end: BackEnd, console: Console) -> int:
    from xlearning.client.planning.dryrun import render

    text = render(made.plan, made.config, back_end.describe(made.plan, made.config, made.fss))
    return EXIT_OK if tell(text, console) else EXIT_CLIENT


def _launch(line: Scan, ways: Ways, made: Draft, back_end: BackEnd, console: Console) -> int:
    from xlearning.client.following.attended import Attended
    from xlearning.client.following.banner import banner
    from xlearning.client.following.interrupts import Interrupts

    if line.given("verbose"):
        from xlearning.client.planning.dryrun import properties

        console.block(["Properties that are not defaults", *properties(made.config)], good=True)
    inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with Interrupts() as interrupts:
        make_ready(made, back_end, console)
        interrupts.redirect(inbox)
        job = start(made, back_end, interrupts.check)
        if not ways.as_json:
            tell(job.app_id, console)
        console.info(banner(job, made.config, line.many("conf-file"), local=line.given("local")))
        back_end.started(job.app_id, made.config, console)
        return Attended(job, made.config, made.fss, back_end, ways, console).to_the_end(inbox)
