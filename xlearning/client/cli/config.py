"""``xl-submit config``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from xlearning.client.cli.guard import sentences
from xlearning.client.cli.verb import AS_JSON, WIDTH, fitting, run_command
from xlearning.client.console import Console
from xlearning.client.language.help import SpokenCommand

if TYPE_CHECKING:
    from xlearning.client.problems import Problem
    from xlearning.config import Config

_INTRO = (
    "Show the properties that are not at their defaults, and where their values come from: files, --conf. "
    "Values that look like secrets are hidden."
)
_NOTES = (
    "Example: xl-submit config --explain worker.memory",
    "Exit codes: 0 shown; 1 a value is bad (it is shown all the same), a file cannot be read, or there is no "
    "such property.",
)


@click.command(
    name="config",
    cls=SpokenCommand,
    help=_INTRO,
    epilog="\n\n".join(_NOTES),
    context_settings=WIDTH,
)
@click.option("--all", "every", is_flag=True, help="All properties.")
@click.option(
    "--explain",
    default="",
    metavar="KEY",
    shell_complete=fitting("properties"),
    help="All about one property, named by any of its names, without its prefix, or by its option.",
)
@AS_JSON
@click.option(
    "-c",
    "--conf",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set one property. May be repeated.",
    shell_complete=fitting("conf_pairs"),
)
@click.option("--conf-file", multiple=True, metavar="FILE", help="Read properties from a file.")
@click.option(
    "--properties-file", multiple=True, metavar="FILE", help="The same, in Java's form (key=value)."
)
@click.option("--cluster", metavar="NAME", help="Another cluster than that of HADOOP_CONF_DIR.")
@click.option("--verbose", is_flag=True, help="Show where an error comes from.")
def config(*, every: bool, explain: str, output: str, verbose: bool, **layers: Any) -> int:
    """Show properties; the exit code."""

    def work(console: Console) -> int:
        from xlearning.client.problems import refuse
        from xlearning.client.verbs.config import run

        found, problems = _read(layers, console, quiet=bool(explain))
        code = run(found, console, every=every, explain=explain, output=output)
        refuse(problems)
        return code

    return sentences(work, verbose=verbose, interrupted="interrupted")


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(config, words)


def _read(layers: Mapping[str, Any], console: Console, *, quiet: bool) -> tuple[Config, list[Problem]]:
    """The properties, be there bad values among them, and what is wrong."""
    from xlearning.client.problems import refuse
    from xlearning.client.settings import Layers, cluster_option, read_config, split_pairs

    problems: list[Problem] = []
    notes: list[str] = []
    wanted = Layers(
        layers["conf_file"],
        split_pairs(layers["conf"], problems),
        cluster_option(layers["cluster"]),
        layers["properties_file"],
    )
    found = read_config(wanted, problems, notes, tolerant=True)
    for note in [] if quiet and not problems else notes:
        console.warn(note)
    if found is None:
        refuse(problems)
    assert found is not None  # else there is a problem
    return found, problems
