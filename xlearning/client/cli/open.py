"""``xl-submit open APP_ID``."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.verb import AS_JSON, carry_out, run_command, verb

_INTRO = (
    "Open the page of a job in a browser; of a job that has ended on YARN, YARN's page of it. The address "
    "goes to standard output. Where there is no display or no browser, that is all."
)
_CODES = "Exit codes: 0 there is such a page; 1 there is none, or the job could not be asked."


@verb("open", intro=_INTRO, example="xl-submit open last --board", codes=_CODES)
@click.option("--board", is_flag=True, help="TensorBoard instead of the page.")
@click.option("--print", "only_print", is_flag=True, help="Start no browser.")
@AS_JSON
def open_page(**options: Any) -> int:
    """Open the page of a job; the exit code."""
    from xlearning.client.verbs.open import run

    return carry_out(lambda places, console: run(places, console, **options), options)


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(open_page, words)
