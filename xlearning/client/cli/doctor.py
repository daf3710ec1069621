"""``xl-submit doctor``: whether this machine and the cluster are fit for jobs."""

from __future__ import annotations

from typing import Any

import click

from xlearning.client.cli.guard import sentences
from xlearning.client.cli.verb import AS_JSON, WIDTH, fitting, run_command
from xlearning.client.console import Console
from xlearning.client.language.help import SpokenCommand

_INTRO = (
    "Look at everything that jobs need: this machine, its Hadoop client, HDFS and YARN. One line for each "
    "check, with the way out where something is wrong. Nothing is changed; what is written to HDFS, to "
    "see whether that goes, is deleted again."
)
_NOTES = (
    "Example: xl-submit doctor --in-cluster",
    "A check that needs another one that has failed is not carried out, and says so. Without --in-cluster "
    "the answer is there within 25 seconds, whatever does not answer.",
    "Exit codes: 0 nothing is wrong, warnings allowed; 1 something is, or the answer could not be written.",
)


@click.command(
    name="doctor",
    cls=SpokenCommand,
    help=_INTRO,
    epilog="\n\n".join(_NOTES),
    context_settings=WIDTH,
)
@click.option("--local", is_flag=True, help="Look at what jobs with --local need only.")
@click.option(
    "--in-cluster", is_flag=True, help="Also run a small job, one worker, that looks around in its container."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=1.0),
    default=180.0,
    show_default=True,
    metavar="SECONDS",
    help="How long that job may take, waiting in the queue included.",
)
@click.option(
    "-c",
    "--conf",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set one property. May be repeated.",
    shell_complete=fitting("conf_pairs"),
)
@click.option("--conf-file", multiple=True, metavar="FILE", help="Read properties from a file.")
@click.option("--keytab", metavar="FILE", help="On a secure cluster: log in with it, not with a ticket.")
@click.option("--principal", metavar="NAME", help="Principal of the keytab.")
@AS_JSON
@click.option("--verbose", is_flag=True, help="Show where an error comes from.")
def doctor(*, verbose: bool, **options: Any) -> int:
    """Look and tell; the exit code."""

    def work(console: Console) -> int:
        from xlearning.client.doctor.run import run

        return run(console, **options)

    return sentences(work, verbose=verbose, interrupted="interrupted")


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(doctor, words)
