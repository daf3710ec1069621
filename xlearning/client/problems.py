"""Problems of a command line or a plan, gathered so that the user sees them all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xlearning.errors import CredentialsError, StorageError, StorageUnavailable, UsageError
from xlearning.fs import FileSystems


@dataclass(frozen=True)
class Problem:
    """What is wrong, and what to do about it."""

    message: str
    fix: str = ""


def refuse(problems: Sequence[Problem]) -> None:
    """Raise one `UsageError` that tells all problems, each once, with its fix; nothing when there is none."""
    problems = list(dict.fromkeys(problems))
    if not problems:
        return
    if len(problems) == 1:
        raise UsageError(problems[0].message, hint=problems[0].fix or None)
    lines = [f"{len(problems)} problems:"]
    for number, problem in enumerate(problems, start=1):
        lines.append(f"  {number}. {_indent(problem.message)}")
        if problem.fix:
            lines.append(f"     fix: {_indent(problem.fix)}")
    raise UsageError("\n".join(lines))


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
