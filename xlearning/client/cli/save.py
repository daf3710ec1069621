"""``xl-submit save APP_ID``: Save Model for a running job."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.verb import AS_JSON, carry_out, run_command, verb

_INTRO = (
    "Save the output folders of a running job as they are now, while its programs go on. Every container "
    "that has output uploads it to <output>/interResult_<time>/<container id>/; _SUCCESS in that folder "
    "says that all parts are there. The folder goes to standard output, everything for people to "
    "standard error."
)
_CODES = (
    "Exit codes: 0 saved (with --no-wait: begun); 2 parts are missing, or nothing was saved; "
    "1 it could not be asked for."
)
_INTERRUPTED = "interrupted; a save that has begun goes on"


@verb("save", intro=_INTRO, example="xl-submit save last", codes=_CODES)
@click.option("--no-wait", is_flag=True, help="Do not wait for the result.")
@AS_JSON
def save(**options: Any) -> int:
    """Ask for a save and wait for its result; the exit code."""
    from xlearning.client.verbs.save import run

    return carry_out(
        lambda places, console: run(places, console, **options), options, interrupted=_INTERRUPTED
    )


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(save, words)
