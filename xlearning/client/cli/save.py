"""``xl-submit save APP_ID``: Save Model for a running job of this machine."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.guard import EXIT_CLIENT, sentences
from xlearning.client.console import Console, open_console

_INTRO = (
    "Save the output folders of a running job as they are now, while its programs go on. Every container "
    "that has output uploads it to <output>/interResult_<time>/<container id>/; _SUCCESS in that folder "
    "says that all parts are there. The folder goes to standard output, everything for people to "
    "standard error."
)
_APP_ID = "APP_ID is the id of a job of this machine, the end of one, or last: the one submitted last."
_CODES = (
    "Exit codes: 0 saved (with --no-wait: begun); 2 parts are missing, or nothing was saved; "
    "1 it could not be asked for."
)


@click.command(
    name="save", help=_INTRO, epilog=f"{_APP_ID} {_CODES}", context_settings={"max_content_width": 110}
)
@click.argument("app_id", metavar="APP_ID")
@click.option("--no-wait", is_flag=True, help="Do not wait for the result.")
@click.option("-c", "--conf", multiple=True, metavar="KEY=VALUE", help="Set one property. May be repeated.")
@click.option("--conf-file", multiple=True, metavar="FILE", help="Read properties from a file.")
@click.option("--verbose", is_flag=True, help="Show where an error comes from.")
def save(app_id: str, *, verbose: bool, **options: Any) -> int:
    """Ask for a save and wait for its result; the exit code."""

    def work(console: Console) -> int:
        from xlearning.client.save import run

        return run(app_id, console, **options)

    return sentences(work, verbose=verbose, interrupted="interrupted; a save that has begun goes on")


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    try:
        return int(save.main(words, prog_name="xl-submit save", standalone_mode=False) or 0)
    except click.ClickException as error:
        open_console().error(f"{error.format_message()}\n  hint: see xl-submit save --help")
        return EXIT_CLIENT
