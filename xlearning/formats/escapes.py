r"""Bytes in properties: UTF-8, where ``\n``, ``\t``, ``\x01`` and the like stand for what cannot be typed."""

from __future__ import annotations

import re

from xlearning.config import Config
from xlearning.errors import UsageError

_ESCAPE = re.compile(rb"\\(x[0-9A-Fa-f]{2}|.?)", re.DOTALL)
_SINGLE = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}


def unescaped(name: str, config: Config) -> bytes:
    r"""The bytes that the property ``name`` stands for; none if it is not set.

    Raises
    ------
    UsageError
        It is empty, or a backslash stands for nothing.
    """
    text: str | None = config.get(name)
    if text is None:
        return b""
    if not text:
        raise UsageError(f"{name} is empty", hint=r"leave it out, or write the bytes that it means, as in \t")

    def meant(found: re.Match[bytes]) -> bytes:
        code = found[1]
        if code.startswith(b"x") and len(code) == 3:
            return bytes((int(code[1:], 16),))
        if code not in _SINGLE:
            raise UsageError(
                f"{name} is {text!r}: there is no {found[0].decode(errors='replace')}",
                hint=r"\n, \r, \t, \0, \x01 (any byte) and \\ are known",
            )
        return _SINGLE[code]

    return _ESCAPE.sub(meant, text.encode("utf-8", "surrogateescape"))
