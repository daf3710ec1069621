"""What Python users hand to calls, checked: one sentence in place of an error from somewhere inside."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

from xlearning.client.api.job import Job
from xlearning.errors import UsageError


def job(value: Any) -> Job:
    """A job.

    Raises
    ------
    UsageError
        It is something else, such as a command.
    """
    if isinstance(value, Job):
        return value
    hint = (
        f"give a Job: Job({value!r})" if isinstance(value, (str, list, tuple)) else "give a Job: Job(command)"
    )
    raise UsageError(f"{value!r} is no job", hint=hint)


def text(name: str, value: Any) -> str:
    """A text."""
    if isinstance(value, str):
        return value
    raise UsageError(f"{name}={value!r} is no text", hint=f"give {name} as a str")


def text_or_none(name: str, value: Any) -> str | None:
    """A text, or nothing."""
    return None if value is None else text(name, value)


def whole(name: str, value: Any) -> int | None:
    """A whole number that is not negative, or nothing."""
    if value is None:
        return None
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 0:
        return int(value)
    raise UsageError(
        f"{name}={value!r} is no whole number", hint=f"give {name} as an int from 0, or leave it out"
    )


def seconds(name: str, value: Any) -> float | None:
    """A time, or nothing."""
    if value is None:
        return None
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and not math.isnan(value):
        return float(value)
    raise UsageError(f"{name}={value!r} is no number", hint=f"give {name} in seconds, or leave it out")


def texts(name: str, value: Any) -> tuple[str, ...]:
    """Several texts, or one."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable) or isinstance(value, bytes):
        raise UsageError(f"{name}={value!r} are no names", hint=f"give {name} as a list of str")
    return tuple(text(name, one) for one in value)


def callback(name: str, value: Any) -> Any:
    """A function, or nothing."""
    if value is None or callable(value):
        return value
    raise UsageError(f"{name}={value!r} cannot be called", hint=f"give {name} as a function of one Snapshot")
