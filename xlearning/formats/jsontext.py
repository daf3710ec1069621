"""Rows as JSON, one line each: ``{"name": value, ...}`` in UTF-8, spaced as Java's Avro does it.

What a line reader might take for the end of a line stands there as an escape. JSON has no word for
numbers that are not finite: they are the strings ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

_HIDDEN = re.compile("[\x7f-\x9f\u2000-\u20ff]")


def encoder(binary: Callable[[bytes], str]) -> Callable[[Any], bytes]:
    """A function from a value to its JSON; ``binary`` says what bytes look like.

    The function raises `TypeError` for what has no form in JSON.
    """

    def other(value: Any) -> str:
        if isinstance(value, bytes):
            return binary(value)
        raise TypeError(f"{type(value).__name__} has no form in JSON")

    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, default=other).encode

    def document(value: Any) -> bytes:
        try:
            text = encode(value)
        except ValueError:
            text = encode(_finite(value))
        if not text.isascii() or "\x7f" in text:
            text = _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04X}", text)
        return text.encode()

    return document


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
