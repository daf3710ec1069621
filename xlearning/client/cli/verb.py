"""What all verbs about a submitted job have in common: options, places, errors as sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xlearning.client.cli.guard import sentences
from xlearning.client.codes import EXIT_CLIENT
from xlearning.client.console import Console, open_console
from xlearning.client.language.help import SpokenCommand

if TYPE_CHECKING:
    from xlearning.client.verbs.places import Places
    from xlearning.config import Config

APP_ID = (
    "APP_ID is the id of a job, the end of one, or last (also -): your job that was submitted last. An id "
    "that this machine knows is one of this machine, any other one is looked for on YARN; last and the end "
    "of an id mean your own jobs in both places."
)
_LOGIN = {"keytab": "xlearning.kerberos.keytab", "principal": "xlearning.kerberos.principal"}
WIDTH = {"max_content_width": 110, "help_option_names": ["-h", "--help"]}

Work = Callable[["Places", Console], int]


def verb(
    name: str, *, intro: str, example: str, codes: str, about_one: bool = True, default: str = ""
) -> Callable[[Callable[..., int]], click.Command]:
    """Decorator: a command with the options of all verbs.

    Parameters
    ----------
    about_one : bool
        Whether it takes an APP_ID.
    default : str
        What stands for an APP_ID that is left out; empty where it must be given.
    """

    def decorate(call: Callable[..., int]) -> click.Command:
        for option in reversed(_COMMON):
            call = option(call)
        if about_one:
            either = {"required": False, "default": default} if default else {}
            call = click.argument(
                "app_id",
                metavar="[APP_ID]" if default else "APP_ID",
                shell_complete=fitting("app_ids"),
                **either,  # type: ignore[arg-type]
            )(call)
        notes = [f"Example: {example}", *([APP_ID] if about_one else []), codes]
        command = click.command(
            name=name, cls=SpokenCommand, help=intro, epilog="\n\n".join(notes), context_settings=WIDTH
        )
        return command(call)

    return decorate


def fitting(name: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """A function of `xlearning.client.completion.candidates`, loaded when a shell asks."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        from xlearning.client.completion import candidates

        return getattr(candidates, name)(ctx, param, incomplete)

    return complete


_COMMON: Sequence[Callable[[Any], Any]] = (
    click.option("--local", is_flag=True, help="Look at jobs of this machine only."),
    click.option(
        "-c",
        "--conf",
        multiple=True,
        metavar="KEY=VALUE",
        help="Set one property. May be repeated.",
        shell_complete=fitting("conf_pairs"),
    ),
    click.option(
        "--conf-file", multiple=True, metavar="FILE", type=click.Path(), help="Read properties from a file."
    ),
    click.option(
        "--properties-file",
        multiple=True,
        metavar="FILE",
        type=click.Path(),
        help="The same, in Java's form (key=value).",
    ),
    click.option("--cluster", metavar="NAME", help="Another cluster than that of HADOOP_CONF_DIR."),
    click.option(
        "--keytab",
        metavar="FILE",
        type=click.Path(),
        help="On a secure cluster: log in with it, not with a ticket.",
    ),
    click.option("--principal", metavar="NAME", help="Principal of the keytab."),
    click.option("--verbose", is_flag=True, help="Show where an error comes from."),
)
AS_JSON = click.option(
    "--output",
    "--format",
    "output",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="For a person, or for a program.",
)


def carry_out(
    work: Work,
    options: dict[str, Any],
    *,
    interrupted: str = "interrupted",
    console: Console | None = None,
) -> int:
    """Run ``work`` with the places that the common options name, which are taken out of ``options``."""
    local, verbose = bool(options.pop("local")), bool(options.pop("verbose"))
    names = ("conf", "conf_file", "properties_file", "cluster", *_LOGIN)
    layers = {name: options.pop(name) for name in names}

    def with_places(console: Console) -> int:
        from xlearning.client.settings import user_name
        from xlearning.client.verbs.places import Places

        places = Places(_config(layers), user_name(os.environ), only_local=local, warn=console.warn)
        try:
            return work(places, console)
        finally:
            places.close()

    return sentences(with_places, verbose=verbose, interrupted=interrupted, console=console)


def needed(options: Mapping[str, Any]) -> list[str]:
    """The common options of a verb as words for another one."""
    words = ["--local"] if options["local"] else []
    for name in ("cluster", "keytab", "principal", "conf_file", "properties_file", "conf"):
        value = options[name]
        for one in (value,) if isinstance(value, str) else value or ():
            is_path = name in ("keytab", "conf_file", "properties_file")
            words += [f"--{name.replace('_', '-')}", str(Path(one).absolute()) if is_path else one]
    return words


def run_command(command: click.Command, words: list[str]) -> int:
    """Run a verb with the words after it; the exit code."""
    try:
        return int(command.main(words, prog_name=f"xl-submit {command.name}", standalone_mode=False) or 0)
    except click.ClickException as error:
        open_console().error(f"{error.format_message()}\n  hint: see xl-submit {command.name} --help")
        return EXIT_CLIENT


def _config(layers: Mapping[str, Any]) -> Config:
    from xlearning.client.problems import Problem, refuse
    from xlearning.client.settings import Layers, cluster_option, read_config, split_pairs
    from xlearning.config import Config

    problems: list[Problem] = []
    login = {key: (str(layers[name]), f"--{name}") for name, key in _LOGIN.items() if layers[name]}
    found = Layers(
        tuple(layers["conf_file"]),
        split_pairs(tuple(layers["conf"]), problems),
        {**cluster_option(layers["cluster"]), **login},
        tuple(layers["properties_file"]),
    )
    config = read_config(found, problems, [])
    refuse(problems)
    return config or Config.from_properties({})
