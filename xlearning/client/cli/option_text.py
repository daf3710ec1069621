"""An option in words: for ``--help``, ``--help-all`` and docs/commands.md."""

from __future__ import annotations

from collections.abc import Callable

from xlearning.client.options import Option, Takes
from xlearning.config.keys import Key, Kind, lookup

_UNITS = {Kind.MEMORY: " MB", Kind.DURATION_S: " s", Kind.DURATION_MS: " ms"}


def synopsis(option: Option) -> str:
    """The option with what follows it, such as ``-c, --conf KEY=VALUE``."""
    rare = {Takes.NOTHING: "", Takes.SWITCH: " [true|false]", Takes.INLINE: f"[={option.metavar}]"}
    value = rare.get(option.takes, f" {option.metavar}")
    short = f"-{option.short}, " if option.short else ""
    return f"{short}{option.flag}{value}"


def explanation(option: Option, say: Callable[[str], str] = str) -> str:
    """What it does, its default, and what becomes of it where it does not work.

    Parameters
    ----------
    say : callable
        Puts each piece into the reader's language.
    """
    default_text = default(option)
    told = "default" in option.help or option.takes is Takes.NOTHING or remark(option)
    parts = [
        option.help,
        f"Default: {default_text}." if default_text and not told else "",
        "May be repeated." if option.takes is Takes.MANY else "",
        remark(option),
    ]
    return " ".join(say(part) for part in parts if part)


def default(option: Option) -> str:
    """The default as the table of properties has it, with its unit; empty where there is none."""
    key = _key(option)
    if key is None or not key.default:
        return ""
    unit = _UNITS.get(key.kind, "") if key.default.isdigit() else ""
    return f"{key.default}{unit}"


def remark(option: Option) -> str:
    """What becomes of an option that this version cannot obey; empty where it can."""
    key = _key(option)
    if option.instead:
        return f"Not part of this version: {option.instead}."
    if key is not None and key.effect.missing:
        scope = f"Anything but {key.default} is" if key.default else "This is"
        return f"{scope} not part of this version: {key.effect.instead}."
    if key is not None and key.effect.ignored:
        return f"Without effect: {key.effect.ignored}."
    return ""


def _key(option: Option) -> Key | None:
    return lookup(option.key) if option.key else None
