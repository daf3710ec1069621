"""Write ``docs/commands.md`` from the options of ``xl-submit`` and its verbs; ``--check`` only compares."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

import click

from xlearning.client.cli import DEFAULT_VERB, VERBS
from xlearning.client.cli.option_text import default, remark, synopsis
from xlearning.client.options import OPTIONS, Option, Takes
from xlearning.config.keys import lookup

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "commands.md"

_INTRO = """\
# Commands

This file is made by `python tools/commands.py` from `xlearning/client/options.py` and the verbs. Do not
edit it by hand. `xl-submit --help` shows the options that most jobs need, `--help-all` all of them.

```
xl-submit [OPTION]... [--] COMMAND [ARGUMENT]...      submit a job and follow it
xl-submit VERB [OPTION]... [APP_ID]                   look after one
```

## How a line is read

- Every option answers to its dashed and to its camelCase name, with one dash or two: `--worker-num 2`,
  `-worker-num 2`, `--workerNum 2`, `-workerNum 2`; and each of them to `--worker-num=2`.
- The first word that belongs to no option starts the command, and everything from there on arrives in the
  program as it is. `--` starts it too; what follows `--` is never taken for anything else.
- An unknown option is an error with the most similar name. All errors of a line are told together.
- Of an option that counts once, the first value counts, and another one is answered by a warning.
- `--conf` takes further words of the form `some.name=value`, and `--input` and `--output` further words
  that hold `#` or `://`, as further values: `--conf a.b=1 c.d=2`. The original dropped all but the first.
  Any other word starts the command.
- A switch such as `--tf-evaluator` is true when it is followed by neither `true` nor `false` (nor `yes`,
  `no`, `1`, `0`).
- Memory is megabytes (`1024`, `1024M`) or gigabytes (`2G`, `1.5g`, `2GB`).
- `-c KEY=VALUE` and `--env NAME=VALUE` are split at the first `=`; a value may hold anything, `=` too. A
  property's value may refer to others (`${user.name}`, `${env.HOME}`, see [properties.md](properties.md));
  values of `--env` and `--env-file`, and the command, are never changed, unless `--template` is given.
- `--template` fills in `${app_id}`, `${index}` (of the container in its role), `${role}` and
  `${num_workers}` (the evaluator not counted) in the command and in the program's variables. `$${index}`
  becomes `${index}`. Every other `$` stays. Without `--template` nothing is touched, since `${index}` may
  well be a variable of your shell script.
- Variables of the program, a later one of this list winning: `xlearning.container.env.NAME`, `--env-file`
  (as other tools read `.env` files: comments, `export`, quotes; no `${...}` is replaced), `--env`.
  They win over those that the application type sets (`RANK`, `TF_CONFIG`, ...); a note names these.
- In a list a comma that belongs to a name is written `\\,`, as in `--files 'a\\,b.txt,c.txt'`; options with
  lists may be repeated. Spaces around the parts are dropped.
- The command and the variables may hold any byte but NUL. The kernel gives a program words and variables of
  at most 131,071 bytes each, and in all a quarter of the stack limit (`ulimit -s`; mostly 2 MiB): more is
  refused.
- A program in a container may call `xl-submit` itself. On YARN it needs `yarn` on its `PATH`; on a secure
  cluster a ticket or a keytab too, since delegation tokens alone give no right to submit.
- `--launch-cmd "COMMAND"` is split by the quoting rules of a shell and run without one.
- Exit codes: 0 succeeded; 1 wrong usage, configuration or client error; 2 the application failed or was
  killed; 128 + n when signal n ended the client alone. Standard output holds the application id.
"""


def render() -> str:
    """The whole file."""
    lines = [_INTRO, "## Options", ""]
    lines += ["Bold: shown by `--help`. In front of every name may stand one dash or two."]
    for group, options in groupby(OPTIONS, key=lambda option: option.group):
        lines += ["", f"### {group}", ""]
        lines += _table(("Option", "Also", "Default", "Property", "What it does"), map(_row, options))
    lines += ["", "## Verbs"]
    for verb in sorted(VERBS - {DEFAULT_VERB}):
        lines += _verb(_command(verb))
    return "\n".join(lines) + "\n"


def _row(option: Option) -> tuple[str, ...]:
    name = f"`{synopsis(option)}`"
    what = " ".join(part for part in (option.help, _repeated(option), remark(option)) if part)
    what = what.replace("<", "&lt;")
    key = lookup(option.key) if option.key else None
    return (
        f"**{name}**" if option.common else name,
        " ".join(f"`--{other}`" for other in option.names[1:]),
        f"`{default(option)}`" if default(option) else "",
        f"`{key.name}`" if key else "",
        what,
    )


def _repeated(option: Option) -> str:
    return "May be repeated." if option.takes is Takes.MANY else ""


def _command(verb: str) -> click.Command:
    """The click command in the verb's module."""
    module = importlib.import_module(f"xlearning.client.cli.{verb}")
    found = [one for one in vars(module).values() if isinstance(one, click.Command) and one.name == verb]
    return found[0]


def _verb(command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=f"xl-submit {command.name}", **command.context_settings)
    pieces = " ".join(command.collect_usage_pieces(context))
    yield from ("", f"### {command.name}", "", f"`xl-submit {command.name} {pieces}`", "", command.help or "")
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    yield ""
    yield from _table(("Option", "What it does"), (_click_row(one, context) for one in options))
    for note in (command.epilog or "").split("\n\n"):
        verbatim = note.startswith("\b\n")
        yield from ("", "```", note[2:], "```") if verbatim else ("", note) if note else ()


def _click_row(option: click.Option, context: click.Context) -> tuple[str, str]:
    names = ", ".join(option.opts)
    if isinstance(option.type, click.Choice):
        value = f" {'|'.join(str(choice) for choice in option.type.choices)}"
    else:
        value = "" if option.is_flag else f" {option.make_metavar(context)}"
    shown = f" Default: {option.default}." if option.show_default and not option.is_flag else ""
    return f"`{names}{value}`", (option.help or "") + shown


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def main() -> int:
    """Write the file, or say whether it is up to date; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail when the file is out of date"
    )
    options = parser.parse_args()
    text = render()
    if not options.check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is out of date; run: python tools/commands.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
