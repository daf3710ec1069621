"""How wide text is on a terminal, and how it is broken into lines. Pure."""

from __future__ import annotations

import re

_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
_WIDE_ONE = re.compile(f"[{_WIDE}]")
_CLOSING, _OPENING = "，。、；：！？）》」", "（《「"
# what must not be torn apart: a word, or a character with the punctuation that belongs to it
_UNIT = re.compile(rf" +|[{_OPENING}]*(?:[{_WIDE}]|[^ {_WIDE}]+)[{_CLOSING}]*")


def columns(text: str) -> int:
    """Columns that a text takes."""
    return len(text) + len(_WIDE_ONE.findall(text))


def filled(text: str, width: int) -> str:
    """The text with blanks behind it, up to a width."""
    return text + " " * (width - columns(text))


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` columns; one unit that is wider gets a line of its own."""
    lines, line = [], ""
    for unit in _UNIT.findall(" ".join(text.split())):
        if line and columns(line + unit.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += unit if line or unit.strip() else ""
    return [*lines, line.rstrip()] if line.strip() else lines
