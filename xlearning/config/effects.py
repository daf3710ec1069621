"""Values that this version cannot obey: errors and warnings, in the words that the user gave them."""

from __future__ import annotations

from typing import Any, NamedTuple

from xlearning.config import values
from xlearning.config.keys import family, lookup
from xlearning.config.layers import Config
from xlearning.config.merge import Entry
from xlearning.config.schema import COUNTS, Effect, Key


class Verdict(NamedTuple):
    """What is to be said of a configuration.

    Attributes
    ----------
    problems : tuple of (str, str)
        What cannot be done, and what to do instead.
    warnings : tuple of str
        What changes nothing, and why; properties of one reason and source share a line.
    """

    problems: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


def judge(config: Config) -> Verdict:
    """Look at every value that somebody gave; values that mean the default are never remarked on."""
    problems: list[tuple[str, str]] = []
    idle: dict[tuple[str, str], list[Entry]] = {}
    for name in config.explicit():
        entry = config.entry(name)
        assert entry is not None
        effect = effect_of(name)
        if effect is COUNTS or name in config.bad or means_default(name, entry.text):
            continue
        if effect.missing:
            problems.append((f"{entry}: this version cannot {effect.missing} yet", effect.instead))
        else:
            idle.setdefault((effect.ignored, entry.source), []).append(entry)
    return Verdict(tuple(problems), tuple(_idle(why, given) for (why, _), given in idle.items()))


def effect_of(name: str) -> Effect:
    """What becomes of a value of any property; unknown names are told elsewhere."""
    one = lookup(name) or family(name)
    return one.effect if one else COUNTS


def means_default(name: str, text: str) -> bool:
    """Whether a text asks for no more than the default; always False for what the table does not have."""
    key = lookup(name)
    if key is None:
        return False
    blank = not text.strip() and (key.default is None or key.effect is not COUNTS)
    return blank or values.parse(key, text) == _default(key)


def _default(key: Key) -> Any:
    return None if key.default is None else values.parse(key, key.default)


def _idle(why: str, given: list[Entry]) -> str:
    if len(given) == 1:
        return f"{given[0]} has no effect: {why}"
    *names, last = (entry.spelling for entry in given)
    return f"{', '.join(names)} and {last} ({given[0].source}) have no effect: {why}"
