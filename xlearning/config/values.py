"""From the text of a property to its typed value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from xlearning import units
from xlearning.config.keys import Key, Kind

_INT = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def parse(key: Key, text: str) -> Any:
    """The typed value of ``key`` for ``text``; see `Kind` for the types.

    Raises
    ------
    ValueError
        The text has the wrong form or is out of bounds; the message does not repeat the text.
    """
    if key.defaults and text.strip() in key.defaults:
        return None if key.default is None else parse(key, key.default)
    try:
        value = _PARSERS[key.kind](text)
    except ValueError:
        raise ValueError(accepted(key)) from None
    if key.kind is Kind.ENUM and value not in key.values:
        raise ValueError(accepted(key) + _meant(value, key.values))
    if (key.minimum is not None and value < key.minimum) or (key.maximum is not None and value > key.maximum):
        raise ValueError(accepted(key))
    if key.kind in _LARGEST and value > _LARGEST[key.kind]:
        raise ValueError(f"{accepted(key)}; at most {_bound(key, _LARGEST[key.kind])}")
    return value


def accepted(key: Key) -> str:
    """The values that ``key`` accepts, in words."""
    form = ", ".join(key.values) if key.kind is Kind.ENUM else _FORMS[key.kind]
    low, high = _bound(key, key.minimum), _bound(key, key.maximum)
    if low and high:
        return f"{form}; from {low} to {high}"
    return f"{form}; at least {low}" if low else form


def _meant(word: str, known: Sequence[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def contradictions(typed: Mapping[str, Any]) -> list[tuple[tuple[str, str], str]]:
    """What is wrong between two properties that are each right, in words; missing ones are not judged."""
    found = []
    for low, high in _ORDERED:
        small, big = typed.get(low), typed.get(high)
        if small is not None and big is not None and small >= big:
            found.append(((low, high), f"{low} ({small:g}) must be less than {high} ({big:g})"))
    return found


def _bound(key: Key, bound: float | None) -> str:
    if bound is None or (bound == 0 and key.kind in _NEVER_NEGATIVE):
        return ""
    if key.kind in (Kind.DURATION_MS, Kind.DURATION_S):
        return units.format_duration(bound)
    return f"{bound:.10g}m" if key.kind is Kind.MEMORY else f"{bound:.10g}"


def _int(text: str) -> int:
    if _INT.fullmatch(text.strip()) is None:
        raise ValueError(text)
    return int(text)


def _float(text: str) -> float:
    if _FLOAT.fullmatch(text.strip()) is None:
        raise ValueError(text)
    return float(text)


def _path(text: str) -> str:
    text = text.strip()
    # not Path(text): that would fold the slashes of a URI
    return str(Path.home()) + text[1:] if text == "~" or text.startswith("~/") else text


def _list(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())


_ORDERED = (
    ("xlearning.reserve.port.begin", "xlearning.reserve.port.end"),
    ("xlearning.agent.beat.interval", "xlearning.agent.timeout"),
    ("xlearning.agent.beat.interval", "xlearning.task.timeout"),
)

# What YARN and the protocol can carry, and what clocks can wait for; a larger number is a slip.
_LARGEST: dict[Kind, float] = {
    Kind.INT: 2**31 - 1,
    Kind.MEMORY: 2**31 - 1,
    Kind.FLOAT: 1e6,
    Kind.DURATION_MS: 3650 * 86400.0,
    Kind.DURATION_S: 3650 * 86400.0,
}

_NEVER_NEGATIVE = (Kind.MEMORY, Kind.SIZE, Kind.DURATION_MS, Kind.DURATION_S)

_PARSERS: dict[Kind, Callable[[str], Any]] = {
    Kind.STRING: str,
    Kind.INT: _int,
    Kind.FLOAT: _float,
    Kind.BOOL: units.parse_bool,
    Kind.MEMORY: units.parse_memory_mb,
    Kind.DURATION_MS: lambda text: units.parse_duration(text, "ms"),
    Kind.DURATION_S: lambda text: units.parse_duration(text, "s"),
    Kind.SIZE: units.parse_size,
    Kind.ENUM: lambda text: text.strip().upper(),
    Kind.PATH: _path,
    Kind.LIST: _list,
}

_FORMS = {
    Kind.STRING: "any text",
    Kind.INT: "a whole number",
    Kind.FLOAT: "a number such as 0.5",
    Kind.BOOL: units.BOOL_FORM,
    Kind.MEMORY: units.MEMORY_FORM,
    Kind.DURATION_MS: units.duration_form("ms"),
    Kind.DURATION_S: units.duration_form("s"),
    Kind.SIZE: units.SIZE_FORM,
    Kind.PATH: "a path",
    Kind.LIST: "names separated by commas",
}
