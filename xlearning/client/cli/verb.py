"""What all verbs about a submitted job have in common: options, places, errors as sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from xlearning.client.cli.guard import sentences
from xlearning.client.codes import EXIT_CLIENT
from xlearning.client.console import Console, open_console

if TYPE_CHECKING:
    from xlearning.client.verbs.places import Places
    from xlearning.config import Config

APP_ID = (
    "APP_ID is the id of a job, the end of one, or last: your job that was submitted last. An id that "
    "this machine knows is one of this machine, any other one is looked for on YARN; last and the end of "
    "an id mean your own jobs in both places."
)
_WIDTH = {"max_content_width": 110}

Work = Callable[["Places", Console], int]


def verb(
    name: str, *, intro: str, example: str, codes: str, about_one: bool = True
) -> Callable[[Callable[..., int]], click.Command]:
    """Decorator: a command with the options of all verbs.

    Parameters
    ----------
    about_one : bool
        Whether it takes an APP_ID.
    """

    def decorate(call: Callable[..., int]) -> click.Command:
        for option in reversed(_COMMON):
            call = option(call)
        if about_one:
            call = click.argument("app_id", metavar="APP_ID")(call)
        notes = [f"Example: {example}", *([APP_ID] if about_one else []), codes]
        command = click.command(name=name, help=intro, epilog="\n\n".join(notes), context_settings=_WIDTH)
        return command(call)

    return decorate


_COMMON: Sequence[Callable[[Any], Any]] = (
    click.option("--local", is_flag=True, help="Look at jobs of this machine only."),
    click.option(
        "-c", "--conf", multiple=True, metavar="KEY=VALUE", help="Set one property. May be repeated."
    ),
    click.option("--conf-file", multiple=True, metavar="FILE", help="Read properties from a file."),
    click.option("--verbose", is_flag=True, help="Show where an error comes from."),
)
AS_JSON = click.option(
    "--output",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="For a person, or for a program.",
)


def carry_out(work: Work, options: dict[str, Any], *, interrupted: str = "interrupted") -> int:
    """Run ``work`` with the places that the common options name, which are taken out of ``options``."""
    local, verbose = bool(options.pop("local")), bool(options.pop("verbose"))
    conf, conf_file = options.pop("conf"), options.pop("conf_file")

    def with_places(console: Console) -> int:
        from xlearning.client.settings import user_name
        from xlearning.client.verbs.places import Places

        places = Places(_config(conf, conf_file), user_name(os.environ), only_local=local)
        try:
            return work(places, console)
        finally:
            places.close()

    return sentences(with_places, verbose=verbose, interrupted=interrupted)


def run_command(command: click.Command, words: list[str]) -> int:
    """Run a verb with the words after it; the exit code."""
    try:
        return int(command.main(words, prog_name=f"xl-submit {command.name}", standalone_mode=False) or 0)
    except click.ClickException as error:
        open_console().error(f"{error.format_message()}\n  hint: see xl-submit {command.name} --help")
        return EXIT_CLIENT


def _config(conf: Sequence[str], conf_file: Sequence[str]) -> Config:
    from xlearning.client.problems import Problem, refuse
    from xlearning.client.settings import Layers, read_config, split_pairs
    from xlearning.config import Config

    problems: list[Problem] = []
    config = read_config(Layers(tuple(conf_file), split_pairs(tuple(conf), problems)), problems, [])
    refuse(problems)
    return config or Config.from_properties({})
