"""Checks and what they find. Standard library only, for some checks run inside containers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Mark(Enum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"  # jobs run, but somebody should know
    PROBLEM = "problem"  # jobs fail
    UNCHECKED = "not checked"  # what it needs is a problem itself
    UNKNOWN = "not known"  # it cannot be seen from here


@dataclass(frozen=True)
class Finding:
    """What one check found, and the way out where it is not well."""

    mark: Mark
    text: str
    fix: str = ""


def ok(text: str) -> Finding:
    """It is well."""
    return Finding(Mark.OK, text)


def warning(text: str, fix: str) -> Finding:
    """Jobs run, but not always or not as well as they could."""
    return Finding(Mark.WARNING, text, fix)


def problem(text: str, fix: str) -> Finding:
    """Jobs fail."""
    return Finding(Mark.PROBLEM, text, fix)


@dataclass(frozen=True)
class Check:
    """Something to look at.

    Attributes
    ----------
    id : str
        For programs; unique among the checks of one run.
    area, title : str
        For people.
    call : callable
        Looks. What it raises is a problem.
    needs : tuple of str
        Ids of earlier checks without which this one has no answer.
    patience : float
        Seconds that it may take.
    """

    id: str
    area: str
    title: str
    call: Callable[[], Finding]
    needs: tuple[str, ...] = ()
    patience: float = 8.0


@dataclass(frozen=True)
class Record:
    """One check, for programs.

    Attributes
    ----------
    id : str
        Unique among the checks.
    area, title : str
        For people.
    result : str
        ``ok``, ``warning``, ``problem``, ``not checked`` (for what it needs is a problem) or ``not known``
        (it cannot be seen from the gateway).
    text : str
        What was found.
    fix : str
        The way out; empty where all is well.
    seconds : float
        How long it took.
    """

    id: str
    area: str
    title: str
    result: str
    text: str
    fix: str
    seconds: float


@dataclass(frozen=True)
class DoctorAnswer:
    """What ``doctor`` has found.

    Attributes
    ----------
    xlearning : str
        Our version.
    healthy : bool
        Whether nothing is wrong, warnings allowed; then the exit code is 0.
    checks : tuple of Record
        In the order in which people read them.
    """

    xlearning: str
    healthy: bool
    checks: tuple[Record, ...]


@dataclass(frozen=True)
class Result:
    """A check that was carried out, or was not, in so many seconds."""

    id: str
    area: str
    title: str
    finding: Finding
    seconds: float

    def record(self) -> Record:
        """The same for programs."""
        found = self.finding
        seconds = round(self.seconds, 3)
        return Record(self.id, self.area, self.title, found.mark.value, found.text, found.fix, seconds)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Result:
        """From the fields of a `Record`.

        Raises
        ------
        TypeError, ValueError
            They are others.
        """
        found = Record(**data)
        finding = Finding(Mark(found.result), found.text, found.fix)
        return cls(found.id, found.area, found.title, finding, found.seconds)


def healthy(results: Sequence[Result]) -> bool:
    """Whether nothing is wrong; warnings are allowed, and so is what cannot be seen from here."""
    return all(result.finding.mark in (Mark.OK, Mark.WARNING, Mark.UNKNOWN) for result in results)
