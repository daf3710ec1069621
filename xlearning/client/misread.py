"""Whether the first word of the user's command, or a later one, was meant for ``xl-submit``."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from xlearning.client.cli import VERBS
from xlearning.client.option import Option, camel
from xlearning.client.problems import Problem
from xlearning.client.shell_signs import shell_note

# Options that hardly any program has, so behind the command they are most likely misplaced.
_OURS = (
    *("worker-num", "ps-num", "app-type", "app-name", "input-strategy", "board-enable", "cache-file"),
    *("cache-archive", "worker-memory", "worker-cores", "ps-memory", "ps-cores"),
)
_MISPLACED = frozenset(
    ("--local", *(d + spell(name) for d in ("-", "--") for name in _OURS for spell in (str, camel)))
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][\w.-]*)=")


def judge_command(
    command: Sequence[str], known: Mapping[str, Option], problems: list[Problem], notes: list[str]
) -> None:
    """Look at a command that no ``--`` sets apart.

    Parameters
    ----------
    known : mapping
        Every spelling of every option, see `xlearning.client.options.spellings`.
    """
    if not command:
        return
    first = command[0]
    if match := _ASSIGNMENT.match(first):
        meant = "--conf" if "." in match[1] else "--env"
        problems.append(
            Problem(f"{first!r} would start your command", f"write {meant} {first} (once per pair)")
        )
    for word in command[1:]:
        token = word.partition("=")[0]
        option = known.get(token)
        if option is not None and option.name == "launch-cmd":
            problems.append(
                Problem(
                    f"{first!r} starts your command, but {token} stands behind it",
                    f"leave out {first!r} if it is no command, else {token}",
                )
            )
        elif token in _MISPLACED:
            notes.append(
                f"{word} stands after the first word of your command, so it belongs to the command; "
                "options of xl-submit come before it"
            )


def late_verb(command: Sequence[str], *, local: bool) -> Problem | None:
    """The problem of a verb that stands behind options, where nobody can mean a program of its name."""
    if len(command) != 1 or command[0] not in VERBS:
        return None
    (verb,) = command
    return Problem(
        f"{verb} is a verb: it comes first",
        f"write xl-submit {verb}{' --local' if local else ''}; for a program of this name: -- {verb}",
    )


def note_of_one_word(command: Sequence[str], shipped: Sequence[str]) -> str:
    """A note about a command of several words that the shell was made to hand over as one; else empty.

    Parameters
    ----------
    shipped : sequence of str
        Values of options that put files into the working folder; the program may be one of them.
    """
    if len(command) != 1 or len(command[0].split()) < 2:
        return ""
    (word,) = command
    if note := shell_note(word, "your command, one word,"):
        return note
    name = Path(word).name
    # os.path, since Path raises where a name is too long to be one
    if shutil.which(word) or os.path.exists(word) or any(name in text for text in shipped):  # noqa: PTH110
        return ""
    return f"your command is the one word {word!r}: leave the quotes out, or use --launch-cmd"
