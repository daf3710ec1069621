"""The verb that submits; it is meant where no verb is named."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

import xlearning
from xlearning.client.cli.guard import guarded
from xlearning.client.cli.option_text import explanation, synopsis
from xlearning.client.cli.spelled import run_spelled, spelled_verb
from xlearning.client.language.choice import answering
from xlearning.client.language.help import SpokenCommand
from xlearning.client.options import OPTIONS
from xlearning.client.scan import scan

_INTRO = (
    "Run COMMAND in many containers, unchanged: on Hadoop YARN, or on this machine with --local. The "
    "application id goes to standard output and everything for people to standard error."
)
_EXAMPLE = """\
\b
Example:
  xl-submit --local --app-type TENSORFLOW --worker-num 2 --ps-num 1 \\
      --files train.py --input /data/mnist#data --output /models/m1#model \\
      python3 train.py --data ./data --model ./model"""
VERB_HELP = (
    ("xl-submit list", "Your jobs, on this machine and on YARN."),
    ("xl-submit history", "Those that have ended: how, and what they published or why they failed."),
    ("xl-submit top [APP_ID]", "Follow a job from any terminal to its end."),
    ("xl-submit status APP_ID", "How a job stands."),
    ("xl-submit describe APP_ID", "Everything that is known of it."),
    ("xl-submit open APP_ID", "Open its page in a browser."),
    ("xl-submit tensorboard APP_ID", "Show what it logged for TensorBoard."),
    ("xl-submit logs APP_ID", "What its programs have written."),
    ("xl-submit save APP_ID", "Save its output as it is now, while it runs."),
    ("xl-submit kill APP_ID", "End it."),
    ("xl-submit config", "Properties that are set, and where; --explain KEY tells about one."),
    ("xl-submit doctor", "Whether this machine and the cluster are fit for jobs."),
    ("xl-submit package --output FILE", "Make XLearning's package for the nodes of a YARN cluster."),
    ("xl-submit completion SHELL", "Make bash, zsh or fish complete all this."),
)
_NOTES = (
    "Options may be written with one dash or two, dashed or in camelCase (--worker-num, -workerNum), "
    "as --opt value or --opt=value. The first word that belongs to no option starts COMMAND, and so "
    "does what follows --.",
    "A verb is one as the very first word only: xl-submit -- list runs a command of yours called list.",
    "Exit codes: 0 succeeded; 1 wrong usage, configuration or client error; 2 the application failed "
    "or was killed.",
)


_ALL = "xlearning.help-all"  # in a context's meta: whether all options are shown


class SubmitCommand(SpokenCommand):
    """A command whose options come from `xlearning.client.options` and are read by `scan`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words apart; no word at all asks for help, as in XLearning."""
        line = scan(args)
        if not args or line.given("help") or line.given("help-all"):
            ctx.meta[_ALL] = line.given("help-all")
            click.echo(ctx.get_help())
            ctx.exit()
        if line.given("version"):
            click.echo(f"xlearning {xlearning.__version__}")
            ctx.exit()
        ctx.params = {"line": line}
        ctx.args = []
        return []

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """What follows the program's name in the usage line."""
        return ["[OPTION]...", "[--]", "COMMAND [ARGUMENT]..."]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Introduction and example."""
        formatter.write_paragraph()
        formatter.write_text(_INTRO)
        formatter.write_paragraph()
        formatter.write_text(_EXAMPLE)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs, and the options by group: those of most jobs, or all."""
        with formatter.section("Verbs, each with a --help of its own"):
            formatter.write_dl(VERB_HELP)
        say = answering()
        every = ctx.meta.get(_ALL, False)
        shown = [option for option in OPTIONS if every or option.common]
        for group, options in groupby(shown, key=lambda option: option.group):
            with formatter.section(group):
                formatter.write_dl([(synopsis(option), explanation(option, say)) for option in options])
        if not every:
            formatter.write_paragraph()
            formatter.write_text(f"{len(OPTIONS) - len(shown)} further options: xl-submit --help-all")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Rules that hold for all options."""
        for note in _NOTES:
            formatter.write_paragraph()
            formatter.write_text(note)


@click.command(cls=SubmitCommand, name="submit", context_settings={"max_content_width": 110})
def submit(**params: Any) -> int:
    """Submit the job of a command line; the exit code."""
    line = params["line"]
    verb = spelled_verb(line)
    return run_spelled(line, verb) if verb else guarded(line)
