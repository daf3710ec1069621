"""``xl-submit list``."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.verb import AS_JSON, carry_out, fitting, run_command, verb

_INTRO = (
    "List your jobs on this machine and on YARN, the newest first: those that have not ended, and the "
    "last ones that have."
)
_CODES = "Exit codes: 0 listed, be there jobs or not; 1 this machine or YARN could not be asked."


@verb(
    "list",
    intro=_INTRO,
    example="xl-submit list --state running,failed --limit 5",
    codes=_CODES,
    about_one=False,
)
@click.option(
    "--limit", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="How many."
)
@click.option("--all", "every", is_flag=True, help="All that are known.")
@click.option(
    "--state",
    multiple=True,
    metavar="STATE,...",
    shell_complete=fitting("states"),
    help="Only those in one of these: SUBMITTED, RUNNING, SUCCEEDED, FAILED, KILLED. May be repeated.",
)
@click.option("--user", default="", metavar="NAME", help="Jobs of somebody else.")
@click.option("--all-users", is_flag=True, help="Jobs of everybody.")
@AS_JSON
def list_jobs(**options: Any) -> int:
    """List jobs; the exit code."""
    from xlearning.client.verbs.listing import Wish, parse_states, run

    def work(places: Any, console: Any) -> int:
        output, states = options.pop("output"), parse_states(options.pop("state"))
        return run(places, console, wish=Wish(**options, states=states), output=output)

    return carry_out(work, options)


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(list_jobs, words)
