"""``xl-submit kill APP_ID``."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.verb import AS_JSON, carry_out, run_command, verb

_INTRO = (
    "End a job. Its ApplicationMaster is asked to stop the programs and to put everything in order; where "
    "it does not answer, YARN (or this machine) ends the job by force. Nobody is asked for confirmation. "
    "The id and the state in which the job ended go to standard output."
)
_CODES = (
    "Exit codes: 0 the job has ended, now or before (with --no-wait: it is being stopped); 2 it refuses "
    "because it is committing its output, and ends by itself; 1 it could not be ended."
)
_INTERRUPTED = "interrupted; a job that was told to stop does so"


@verb("kill", intro=_INTRO, example='xl-submit kill last --reason "wrong input"', codes=_CODES)
@click.option(
    "--reason", default="", metavar="TEXT", help="Told to whoever follows the job, and kept with it."
)
@click.option("--no-wait", is_flag=True, help="Do not wait for the end.")
@AS_JSON
def kill(**options: Any) -> int:
    """End a job; the exit code."""
    from xlearning.client.verbs.kill import run

    return carry_out(
        lambda places, console: run(places, console, **options), options, interrupted=_INTERRUPTED
    )


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(kill, words)
