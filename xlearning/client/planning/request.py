"""What a plan is made from: the job that is asked for, in the words of the options."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from xlearning.client.problems import Problem


@dataclass(frozen=True)
class Request:
    """What is asked for beside the properties. Everything is as the user wrote it.

    Attributes
    ----------
    command : tuple of str
        The user's program, one argument per item; empty where none is given.
    inputs : tuple of str
        ``PATH[,PATH...][#NAME]`` each.
    outputs : tuple of str
        ``PATH[,PATH...][#NAME]`` each.
    files : tuple of str
        ``FILE[,FILE...]`` each, of this machine.
    cache_files, archives, cache_archives : tuple of str
        ``PATH[#NAME][,PATH...]`` each; ``archives`` are of this machine.
    jars : tuple of str
        ``PATH[,PATH...]`` each, of this machine or with the address of another file system.
    env : tuple of str
        ``NAME=VALUE`` each, or ``NAME`` for the value that it has here; later ones win.
    env_files : tuple of str
        Files of such lines; ``env`` wins.
    template : bool or None
        Whether placeholders are filled in; None: no, and they are told.
    path, library_path : str
        Appended to ``PATH`` and ``LD_LIBRARY_PATH`` of the program.
    output_index : str or None
        Number of the worker whose output is published alone; None for all.
    """

    command: tuple[str, ...] = ()
    app_name: str = ""
    app_type: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    cache_files: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    cache_archives: tuple[str, ...] = ()
    output_index: str | None = None
    jars: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    env_files: tuple[str, ...] = ()
    template: bool | None = None
    path: str = ""
    library_path: str = ""


def split_command(text: str, option: str, problems: list[Problem]) -> tuple[str, ...]:
    """The words of a command in one string, by the quoting rules of a shell; none where that fails."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        problems.append(
            Problem(
                f"{option} {text!r} cannot be split: {str(error).lower()}",
                "balance the quotes, or give the command word by word",
            )
        )
        return ()
    check_command(words, problems)
    return words


def check_command(words: tuple[str, ...], problems: list[Problem]) -> None:
    """Whether there is something to run."""
    if not words or not words[0]:
        problems.append(
            Problem(
                "the command's name is empty" if words else "there is no command to run",
                "give one, such as python3 train.py --epochs 3; words of yours come last",
            )
        )
