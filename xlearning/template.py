"""``${index}`` and its like in a command and in variables: filled in where ``--template`` asks for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

PLACEHOLDERS = ("app_id", "index", "role", "num_workers")
_PATTERN = re.compile(r"\$?\$\{(" + "|".join(PLACEHOLDERS) + r")\}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """``text`` with each ``${name}`` of `PLACEHOLDERS` replaced; ``$${name}`` becomes ``${name}``.

    Every other ``$`` stays: it belongs to the program, or to the shell that it is.
    """
    return _PATTERN.sub(lambda found: found[0][1:] if found[0][:2] == "$$" else values[found[1]], text)


def placeholders(text: str) -> list[str]:
    """The placeholders of ``text`` that `fill` replaces, once each."""
    found = (match[0] for match in _PATTERN.finditer(text))
    return list(dict.fromkeys(name for name in found if not name.startswith("$$")))
