"""What doctor says: lines for people, a record for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import xlearning
from xlearning.client.doctor.model import DoctorAnswer, Mark, Result, healthy
from xlearning.client.language.choice import answering
from xlearning.client.language.width import filled

_WIDTH = 16  # of titles
_MARKS = max(len(mark.value) for mark in Mark)
_UNCOUNTED = (Mark.OK, Mark.UNCHECKED, Mark.UNKNOWN)  # words without a plural
_INDENT = " " * (2 + _MARKS + 2 + _WIDTH + 2)


def lines(result: Result) -> list[str]:
    """One check: a line, or one for each thing, and one with the way out where it is not well."""
    say = answering()
    mark, told = result.finding.mark.value, result.finding.text.splitlines() or [""]
    first, *more = (say(" ".join(line.split())) for line in told)
    found = [f"  {mark:<{_MARKS}}  {filled(say(result.title), _WIDTH)}  {first}"]
    found += [f"{_INDENT}{line}" for line in more]
    if result.finding.fix:
        found.append(f"{_INDENT}{say('fix:')} {say(' '.join(result.finding.fix.split()))}")
    return found


def areas(results: Iterable[Result]) -> Iterable[list[str]]:
    """The lines of each check, below the name of its area."""
    area = ""
    for result in results:
        head = [answering()(result.area)] if result.area != area else []
        area = result.area
        yield [*head, *lines(result)]


def summary(results: Sequence[Result]) -> str:
    """How many came out how."""
    counts = Counter(result.finding.mark for result in results)
    parts = [
        f"{counts[mark]} {word}{'' if counts[mark] == 1 or mark in _UNCOUNTED else 's'}"
        for mark, word in ((mark, mark.value) for mark in Mark)
        if counts[mark]
    ]
    return answering()(
        f"{'Nothing is wrong' if healthy(results) else 'Something is wrong'}: {', '.join(parts)}"
    )


def record(results: Sequence[Result]) -> DoctorAnswer:
    """All of it for a program."""
    return DoctorAnswer(xlearning.__version__, healthy(results), tuple(result.record() for result in results))
