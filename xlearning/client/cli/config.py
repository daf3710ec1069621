"""``xl-submit config``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from xlearning.client.cli.guard import sentences
from xlearning.client.cli.verb import AS_JSON, run_command
from xlearning.client.console import Console
from xlearning.client.language.help import SpokenCommand

if TYPE_CHECKING:
    from xlearning.config import Config

_INTRO = (
    "Show the properties that are not at their defaults, and where their values come from: files, --conf. "
    "Values that look like secrets are hidden."
)
_NOTES = (
    "Example: xl-submit config --explain worker.memory",
    "Exit codes: 0 shown; 1 a file or a value cannot be read, or there is no such property.",
)


@click.command(
    name="config",
    cls=SpokenCommand,
    help=_INTRO,
    epilog="\n\n".join(_NOTES),
    context_settings={"max_content_width": 110},
)
@click.option("--all", "every", is_flag=True, help="All properties.")
@click.option(
    "--explain",
    default="",
    metavar="KEY",
    help="All about one property, named by any of its names, without its prefix, or by its option.",
)
@AS_JSON
@click.option("-c", "--conf", multiple=True, metavar="KEY=VALUE", help="Set one property. May be repeated.")
@click.option("--conf-file", multiple=True, metavar="FILE", help="Read properties from a file.")
@click.option(
    "--properties-file", multiple=True, metavar="FILE", help="The same, in Java's form (key=value)."
)
@click.option("--cluster", metavar="NAME", help="Another cluster than that of HADOOP_CONF_DIR.")
@click.option("--verbose", is_flag=True, help="Show where an error comes from.")
def config(*, every: bool, explain: str, output: str, verbose: bool, **layers: Any) -> int:
    """Show properties; the exit code."""

    def work(console: Console) -> int:
        from xlearning.client.verbs.config import run

        found = _read(layers, console, quiet=bool(explain))
        return run(found, console, every=every, explain=explain, output=output)

    return sentences(work, verbose=verbose, interrupted="interrupted")


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(config, words)


def _read(layers: Mapping[str, Any], console: Console, *, quiet: bool) -> Config:
    from xlearning.client.problems import Problem, refuse
    from xlearning.client.settings import Layers, cluster_option, read_config, split_pairs

    problems: list[Problem] = []
    notes: list[str] = []
    wanted = Layers(
        layers["conf_file"],
        split_pairs(layers["conf"], problems),
        cluster_option(layers["cluster"]),
        layers["properties_file"],
    )
    found = read_config(wanted, problems, notes)
    for note in [] if quiet and not problems else notes:
        console.warn(note)
    refuse(problems)
    assert found is not None  # else there is a problem
    return found
