"""Which values are nobody's business: told by the names of properties and variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

HIDDEN = "(hidden)"
_SECRET = re.compile(
    r"passw(or)?d|secret|token|credential|(access|api|private|account|encryption|signing)[._-]?key|keystore",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether a property or variable of this name holds a secret."""
    return bool(_SECRET.search(name))


def hide(values: Mapping[str, str]) -> dict[str, str]:
    """The same names; values of secrets that are not empty are replaced by `HIDDEN`."""
    return {name: HIDDEN if value and is_secret(name) else value for name, value in values.items()}
