"""``xl-submit top``."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.verb import carry_out, fitting, needed, run_command, verb
from xlearning.client.console import open_console

_INTRO = (
    "Follow a job from any terminal as the client that submitted it does: a panel on a terminal, elsewhere "
    "a line for each change, then how the job ended. Ctrl-C leaves the job as it is and says how to come "
    "back; nothing that happens to this client ends it. Of a job that has ended its end is told. The id "
    "goes to standard output."
)
_CODES = (
    "Exit codes: 0 the job has succeeded; 2 it failed or was killed; 128 + n left by signal n (130: "
    "Ctrl-C); 1 it is not known or could not be asked."
)


@verb("top", intro=_INTRO, example="xl-submit top last --logs=worker:0", codes=_CODES, default="last")
@click.option(
    "--logs",
    metavar="ROLE[:INDEX]",
    shell_complete=fitting("roles"),
    help="The programs' standard output and error too: of all containers (--logs), of one role "
    "(--logs=worker) or of one container (--logs=worker:0).",
)
@click.option("-q", "--quiet", is_flag=True, help="Warnings, errors, and how a failed job ended; no more.")
@click.option("--no-color", is_flag=True, help="No colours.")
@click.option(
    "--output",
    "--format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="json: standard output holds one document at the end, as that of a submission.",
)
def top(**options: Any) -> int:
    """Follow a job; the exit code."""
    console = open_console(quiet=options.pop("quiet"), color=not options.pop("no_color"))
    app_id, logs, output = (options.pop(name) for name in ("app_id", "logs", "output"))
    more = needed(options)

    def work(places: Any, console: Any) -> int:
        from xlearning.client.following.ways import JSON, Ways, chosen
        from xlearning.client.problems import Problem, refuse
        from xlearning.client.verbs.top import run

        problems: list[Problem] = []
        ways = Ways(as_json=output == JSON, logs=chosen(logs, problems), bystander=True)
        refuse(problems)
        return run(places, console, app_id=app_id, ways=ways, more=more)

    return carry_out(work, options, console=console)


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(top, ["--logs=" if word == "--logs" else word for word in words])
