"""``${name}`` in values: Hadoop's rules, applied to the merged set of properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

# the innermost reference: neither "$" nor "}" nor a space inside, as in Hadoop's Configuration
_REFERENCE = re.compile(r"\$\{([^}$ ]+)\}")
_MAX_DEPTH = 20
_MAX_REPLACEMENTS = 200
_MAX_LENGTH = 2**20  # characters


class Expander:
    """Replaces ``${name}`` by the value of another property, ``${env.X}`` by a variable.

    ``${env.X-text}`` gives ``text`` when X is unset, ``${env.X:-text}`` also when it is empty. A
    reference to something unknown stays as it is written.

    Parameters
    ----------
    raw : callable
        Unexpanded text of a property by any of its names; None when it has none.
    environ : mapping
        Variables for ``${env.X}``.
    """

    def __init__(self, raw: Callable[[str], str | None], environ: Mapping[str, str]) -> None:
        self._raw = raw
        self._environ = environ
        self._replacements = 0

    def expand(self, text: str) -> str:
        """``text`` with its references replaced.

        Raises
        ------
        ValueError
            References that lead in a circle or too deep, or to more than 1 MiB of text.
        """
        if "${" not in text:
            return text
        self._replacements = 0
        return self._expand(text, ())

    def _expand(self, text: str, trail: tuple[str, ...]) -> str:
        position = 0
        while (match := _REFERENCE.search(text, position)) is not None:
            name = match.group(1)
            value = self._value(name)
            if value is None:
                position = match.end()
                continue
            self._check(name, trail)
            start = match.start()
            value = self._expand(value, (*trail, name))
            if len(text) + len(value) > _MAX_LENGTH:
                raise ValueError(f"references make it longer than {_MAX_LENGTH} characters (at ${{{name}}})")
            text = text[:start] + value + text[match.end() :]
            # an inner reference may have completed the name of the one around it
            around = text.rfind("${", 0, start + 1)
            position = start if around < 0 else around
        return text

    def _check(self, name: str, trail: tuple[str, ...]) -> None:
        self._replacements += 1
        if name in trail:
            raise ValueError("references go in a circle: " + " -> ".join((*trail, name)))
        if len(trail) >= _MAX_DEPTH or self._replacements > _MAX_REPLACEMENTS:
            raise ValueError(f"references are nested too deep or too many (at ${{{name}}})")

    def _value(self, name: str) -> str | None:
        if name.startswith("env.") and len(name) > 4:
            return self._variable(name[4:])
        value = _system_property(name, self._environ)
        return self._raw(name) if value is None else value

    def _variable(self, spec: str) -> str | None:
        name, dash, fallback = spec.partition("-")
        value = self._environ.get(name.removesuffix(":") if dash else name)
        if not dash:
            return value
        if name.endswith(":"):
            return value or fallback
        return fallback if value is None else value


def _system_property(name: str, environ: Mapping[str, str]) -> str | None:
    """The Java system properties that configuration files really use."""
    if name == "user.name":
        import getpass

        return environ.get("USER") or getpass.getuser()
    if name == "user.home":
        return str(Path.home())
    if name == "user.dir":
        return str(Path.cwd())
    if name == "java.io.tmpdir":
        return environ.get("TMPDIR", "/tmp")
    return None
