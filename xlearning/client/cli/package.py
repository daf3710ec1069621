"""``xl-submit package --output FILE``: our package for the nodes as a file, for administrators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from xlearning.client.cli.guard import sentences
from xlearning.client.cli.verb import WIDTH, run_command
from xlearning.client.console import Console
from xlearning.client.language.help import SpokenCommand

_INTRO = (
    "Make XLearning's package for the nodes of a YARN cluster, with all that it needs there, as one "
    ".tar.gz. Put it on HDFS, readable for everybody, and name it in the property xlearning.yarn.archive: "
    "then xl-submit makes and uploads none, and the nodes unpack it once for all users."
)
_NODES = (
    "Where --python or --glibc differ from this machine, pip fetches wheels for the nodes, of the versions "
    "that are installed here where there are such."
)


@click.command(name="package", cls=SpokenCommand, help=_INTRO, epilog=_NODES, context_settings=WIDTH)
@click.option("--output", required=True, metavar="FILE", help="Where to write it; a name such as x.tar.gz.")
@click.option("--python", metavar="VERSION", help="Python version of the nodes. Default: that of xl-submit.")
@click.option("--glibc", metavar="VERSION", help="C library of the nodes. Default: that of this machine.")
@click.option("--verbose", is_flag=True, help="Show where an error comes from.")
def package(*, verbose: bool, **options: Any) -> int:
    """Make the package; the exit code."""

    def work(console: Console) -> int:
        return _make(console, **options)

    return sentences(work, verbose=verbose, interrupted="interrupted; nothing was written")


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(package, words)


def _make(console: Console, *, output: str, python: str | None, glibc: str | None) -> int:
    from xlearning.client.packaging.make_package import make

    made = make(Path(output), python=python, glibc=glibc)
    for note in made.notes:
        console.info(note)
    console.info(made.words)
    print(output)
    return 0
