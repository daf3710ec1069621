"""``xl-submit history``."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.verb import AS_JSON, carry_out, fitting, run_command, verb

_INTRO = (
    "List your jobs that have ended, on this machine and on YARN, the newest first: how each ended, how "
    "long it took, and what it published or why it failed. Jobs that YARN has forgotten are told from what "
    "they recorded in xlearning.history.log.dir. xl-submit describe tells the rest."
)
_CODES = "Exit codes: 0 listed, be there jobs or not; 1 this machine or YARN could not be asked."


@verb(
    "history",
    intro=_INTRO,
    example="xl-submit history --state failed --limit 5",
    codes=_CODES,
    about_one=False,
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="How many."
)
@click.option(
    "--state",
    multiple=True,
    metavar="STATE,...",
    shell_complete=fitting("final_states"),
    help="Only those in one of these: SUCCEEDED, FAILED, KILLED. May be repeated.",
)
@click.option("--user", default="", metavar="NAME", help="Jobs of somebody else.")
@click.option("--all-users", is_flag=True, help="Jobs of everybody.")
@AS_JSON
def history(**options: Any) -> int:
    """List jobs that have ended; the exit code."""

    def work(places: Any, console: Any) -> int:
        from xlearning.client.verbs.ended import final_states, run
        from xlearning.client.verbs.listing import Wish, parse_states

        output, states = options.pop("output"), final_states(parse_states(options.pop("state")))
        return run(places, console, wish=Wish(**options, states=states), output=output)

    return carry_out(work, options)


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(history, words)
