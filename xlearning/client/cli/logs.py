"""``xl-submit logs APP_ID``."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.verb import carry_out, fitting, run_command, verb

_INTRO = (
    "Show what the programs of a job have written, while it runs and afterwards: stdout and stderr of all "
    "its containers, under a heading each, or of those that --role, --index or --container name. Logs of "
    "a running job come from the nodes, those of an ended one from where YARN gathers them (yarn logs); "
    "nothing is there where log aggregation is off. Logs go to standard output as they are, everything "
    "for people to standard error."
)
_EXAMPLE = "xl-submit logs last --role worker --index 0 --file stderr --tail 50"
_CODES = (
    "Exit codes: 0 shown; 2 the containers have no such file; 1 the logs could not be read, or no such "
    "job or container is known."
)


@verb("logs", intro=_INTRO, example=_EXAMPLE, codes=_CODES)
@click.option(
    "--role",
    metavar="ROLE",
    shell_complete=fitting("roles"),
    help="Containers of one role; am: the ApplicationMaster.",
)
@click.option("--index", type=click.IntRange(min=0), metavar="N", help="The one with this index in its role.")
@click.option("--container", metavar="ID", help="One container, by its id or the end of it.")
@click.option(
    "--file",
    "files",
    multiple=True,
    metavar="NAME",
    help="Another file than stdout and stderr, such as agent.log. May be repeated.",
)
@click.option("--tail", type=click.IntRange(min=0), metavar="N", help="The last N lines of each file only.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what is written, until the job has ended.")
def logs(**options: Any) -> int:
    """Show logs; the exit code."""
    from xlearning.client.verbs.log_reading import Wish
    from xlearning.client.verbs.logs import run

    def work(places: Any, console: Any) -> int:
        app_id = options.pop("app_id")
        return run(places, console, app_id=app_id, wish=Wish(**options))

    return carry_out(work, options)


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(logs, words)
