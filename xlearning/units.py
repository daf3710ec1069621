"""Memory, sizes, durations and truth values: from a person's spelling to numbers and back."""

from __future__ import annotations

import math
import re

_MEMORY = re.compile(r"(\d+)|(\d+(?:\.\d+)?)\s*([mgt])(?:i?b)?", re.IGNORECASE)
_SIZE = re.compile(r"(\d+)\s*b?|(\d+(?:\.\d+)?)\s*([kmgt])(?:i?b)?", re.IGNORECASE)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?", re.IGNORECASE)

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_MEGABYTES = {"m": 1, "g": 1 << 10, "t": 1 << 20}
_BYTES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

MEMORY_FORM = "megabytes such as 1024 or 512m, or with a unit: 4g, 1.5G, 2GB, 1T"
SIZE_FORM = "bytes such as 1048576, or with a unit: 64k, 10M, 1.5G, 1T"
BOOL_FORM = "true or false (also yes, no, 1, 0)"


def duration_form(default_unit: str) -> str:
    """What `parse_duration` accepts, in words."""
    word = {"ms": "milliseconds", "s": "seconds"}[default_unit]
    return f"a number of {word}, or with a unit: 250ms, 10s, 5m, 1h, 1d"


def parse_memory_mb(text: str) -> int:
    """Memory in whole megabytes (2**20 bytes).

    A plain number is megabytes, as in Java XLearning; a part of a megabyte counts as a whole one.

    Raises
    ------
    ValueError
        With the value and the accepted forms.
    """
    match = _MEMORY.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not an amount of memory; accepted: {MEMORY_FORM}")
    plain, number, unit = match.groups()
    if plain:
        return int(plain)
    return math.ceil(float(number) * _MEGABYTES[unit.lower()])


def parse_size(text: str) -> int:
    """A size in bytes; units are powers of 1024.

    Raises
    ------
    ValueError
        With the value and the accepted forms.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a size; accepted: {SIZE_FORM}")
    plain, number, unit = match.groups()
    return int(plain) if plain else math.ceil(float(number) * _BYTES[unit.lower()])


def parse_duration(text: str, default_unit: str = "s") -> float:
    """A duration in seconds.

    Parameters
    ----------
    text : str
        A number with an optional unit ``ms``, ``s``, ``m``, ``h`` or ``d``.
    default_unit : {"s", "ms"}
        Unit of a number without one.

    Raises
    ------
    ValueError
        With the value and the accepted forms.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a duration; accepted: {duration_form(default_unit)}")
    number, unit = match.groups()
    unit = (unit or default_unit).lower()
    # dividing keeps 300 ms at exactly 0.3
    return float(number) / 1000 if unit == "ms" else float(number) * _SECONDS[unit]


def parse_bool(text: str) -> bool:
    """True or false; upper and lower case are alike.

    Raises
    ------
    ValueError
        For anything else: a misspelt "true" must not count as false.
    """
    value = _TRUTH.get(text.strip().lower())
    if value is None:
        raise ValueError(f"{text!r} is neither true nor false; accepted: {BOOL_FORM}")
    return value


def format_bytes(count: float) -> str:
    """A size for people, in powers of 1024: ``512 B``, ``1.5 KiB``, ``300 MiB``, ``2.0 GiB``."""
    unit = "B"
    for bigger in ("KiB", "MiB", "GiB", "TiB"):
        if abs(count) < 1023.5:
            break
        count, unit = count / 1024, bigger
    whole = unit == "B" or abs(count) >= 99.95
    return f"{count:.0f} {unit}" if whole else f"{count:.1f} {unit}"


def format_duration(seconds: float) -> str:
    """A duration (seconds) for people: ``250ms``, ``3.2s``, ``2m 05s``, ``1h 02m``, ``3d 04h``."""
    if not math.isfinite(seconds):
        return "?"
    if seconds < 0:
        return "-" + format_duration(-seconds)
    if seconds == 0:
        return "0s"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f}ms"
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d {whole % 86400 // 3600:02d}h"


def format_ago(seconds: float) -> str:
    """An age (seconds) for people: ``just now``, ``5s ago``, ``3m ago``, ``2h ago``, ``4d ago``."""
    if seconds < 1:
        return "just now"
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{int(seconds // length)}{unit} ago"
    return f"{int(seconds)}s ago"
