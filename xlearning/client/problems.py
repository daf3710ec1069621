"""Problems of a command line or a plan, gathered so that the user sees them all at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xlearning.errors import CredentialsError, StorageError, StorageUnavailable, UsageError
from xlearning.fs import FileSystems


@dataclass(frozen=True)
class Problem:
    """What is wrong, and what to do about it."""

    message: str
    fix: str = ""


class Refused(UsageError):
    """Problems in one error.

    Parameters
    ----------
    problems : sequence of Problem
        What ``message`` tells.
    """

    def __init__(self, message: str, *, hint: str | None = None, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message, hint=hint)
        self.problems = tuple(problems)


def refuse(problems: Sequence[Problem]) -> None:
    """Raise one `Refused` that tells all problems, each once, with its fix; nothing when there is none."""
    problems = list(dict.fromkeys(problems))
    if not problems:
        return
    if len(problems) == 1:
        raise Refused(problems[0].message, hint=problems[0].fix or None, problems=problems)
    raise Refused(listed(problems), problems=problems)


def listed(problems: Sequence[Problem], say: Callable[[str], str] = str) -> str:
    """Problems, numbered, each with its fix; ``say`` puts every piece into the reader's language."""
    lines = [say(f"{len(problems)} problems:")]
    for number, problem in enumerate(problems, start=1):
        lines.append(f"  {number}. {_indent(say(problem.message))}")
        if problem.fix:
            lines.append(f"     {say('fix:')} {_indent(say(problem.fix))}")
    return "\n".join(lines)


def resolve(path: str, fss: FileSystems, option: str, problems: list[Problem]) -> str | None:
    """The full address of a path of the command line; None, and a problem more, when there is none."""
    try:
        return fss.resolve(path)
    except UsageError as error:
        problems.append(Problem(f"{option}: {error.message}", error.hint or ""))
        return None


def unanswered(uri: str, error: StorageError, fss: FileSystems, problems: list[Problem]) -> None:
    """A file system failed. One that is away or lets nobody in is asked no more: that may take long."""
    problems.append(Problem(error.message, error.hint or ""))
    if isinstance(error, (StorageUnavailable, CredentialsError)):
        fss.give_up(uri, error)


def _indent(text: str) -> str:
    return text.replace("\n", "\n     ")
