"""``xl-submit tensorboard APP_ID``."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.verb import carry_out, run_command, verb

_INTRO = (
    "Look at what a job logged for TensorBoard. For a job that has ended, TensorBoard is started on this "
    "machine over the event files that the job left, until Ctrl-C. The TensorBoard of a job that runs is "
    "there already: its address is told. The address goes to standard output."
)
_CODES = "Exit codes: 0 looked at, or told; 1 nothing was logged, or TensorBoard could not be started."


@verb("tensorboard", intro=_INTRO, example="xl-submit tensorboard last --port 6007", codes=_CODES)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=None,
    metavar="PORT",
    help="Port of this machine; 0 for any. By default 6006, or the next one that is free.",
)
@click.option("--open", "open_it", is_flag=True, help="Open it in a browser.")
def tensorboard(**options: Any) -> int:
    """Show the event files of a job; the exit code."""
    from xlearning.client.verbs.tensorboard import run

    return carry_out(lambda places, console: run(places, console, **options), options)


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(tensorboard, words)
