"""What the kernel can hand to a program: each word and variable ends at a NUL and has 128 KiB at most."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from xlearning.client.problems import Problem

LONGEST = 128 * 1024 - 1  # bytes of one word, or of one NAME=VALUE (Linux: MAX_ARG_STRLEN, less its NUL)
MOST = 6 * 2**20  # bytes of all words and variables, however large the stack may grow (Linux: _STK_LIM)
_POINTER = 8  # bytes that a word or a variable takes beside its text and its NUL
_SHOWN = 40  # characters

_IN_A_FILE = "put it into a file, ship that with --files, and let the program read it"


def check(command: Sequence[str], env: Mapping[str, str], problems: list[Problem], *, local: bool) -> None:
    """Tell what no kernel would start, before anything is submitted.

    Parameters
    ----------
    command : sequence of str
        Words of the user's program.
    env : mapping
        The user's own variables.
    local : bool
        Whether the limit of this machine is that of the job. On a node it depends on the node's stack limit;
        there the agent tells.
    """
    parts = [
        *((f"word {number} of the command", word) for number, word in enumerate(command, start=1)),
        *((f"the variable {name}", f"{name}={value}") for name, value in env.items()),
    ]
    found = [problem for what, text in parts for problem in _single(what, text)]
    if found:
        problems += found
        return
    most = min(MOST, os.sysconf("SC_ARG_MAX")) if local else MOST
    total = sum(size(text) + 1 + _POINTER for _, text in parts)
    if total > most:
        problems.append(
            Problem(
                f"the command and its variables have {total:,} bytes; no program can be given more "
                f"than {most:,}",
                _IN_A_FILE,
            )
        )


def size(text: str) -> int:
    """Bytes of a word, those that are no text too."""
    return len(text.encode("utf-8", "surrogateescape"))


def _single(what: str, text: str) -> Iterator[Problem]:
    if "\0" in text:
        yield Problem(f"{what} holds a NUL character, which cannot be given to a program", _IN_A_FILE)
    try:
        length = size(text)
    except UnicodeEncodeError as error:
        wrong = text[error.start]
        yield Problem(f"{what} holds {wrong!r}, half a character, which stands for no byte", "leave it out")
        return
    if length > LONGEST:
        yield Problem(
            f"{what} ({_short(text)}) has {length:,} bytes; a program can be given {LONGEST:,} in one piece",
            _IN_A_FILE,
        )


def _short(text: str) -> str:
    return f"{text[:_SHOWN]!r}..." if len(text) > _SHOWN else repr(text)
