"""Finds the sentence with gaps that a text was made from. Pure; time grows with the text, not faster.

``there is no file {uri}`` is such a sentence. What stands in a gap is passed on as it is, but the name of a
gap can say more: what stands in one called ``why...`` is a sentence of its own and translated like one; one
called ``address``, ``container``, ``count`` or ``program`` takes one word, and one called ``option`` a word
that begins with ``-`` (a number may follow the name).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

_GAP = re.compile(r"(?<!\$)\{([a-z][a-z0-9_]*)\}")
_OPTION = "option"
_ONE_WORD = (_OPTION, "address", "container", "count", "program")
_DEEP = 8  # sentences in sentences


@dataclass(frozen=True)
class Template:
    """A sentence with gaps, and its translation.

    Attributes
    ----------
    fixed : tuple of str
        What stands before, between and behind the gaps; one more than there are gaps.
    """

    source: str
    target: str
    fixed: tuple[str, ...]
    gaps: tuple[str, ...]

    @classmethod
    def of(cls, source: str, target: str) -> Template:
        """Take both sides apart."""
        pieces = _GAP.split(source)
        return cls(source, target, tuple(pieces[::2]), tuple(pieces[1::2]))

    @property
    def weight(self) -> int:
        """How much of it is fixed."""
        return sum(map(len, self.fixed))

    def read(self, text: str) -> Mapping[str, str] | None:
        """What stands in the gaps of ``text``; None where it was not made from this."""
        first, *middle, last = self.fixed
        end = len(text) - len(last)
        if not text.startswith(first) or not text.endswith(last) or end <= len(first):
            return None
        place, values = len(first), []
        for piece in middle:
            found = text.find(piece, place + 1, end)
            if found < 0:
                return None
            values.append(text[place:found])
            place = found + len(piece)
        if place >= end:
            return None
        found_values = dict(zip(self.gaps, [*values, text[place:end]], strict=True))
        return found_values if all(map(_fits, found_values, found_values.values())) else None

    def begins(self, values: Mapping[str, str]) -> int:
        """At which character the fixed text begins."""
        return 0 if self.fixed[0] else len(values[self.gaps[0]])

    def fill(self, values: Mapping[str, str]) -> str:
        """The translation with its gaps filled."""
        return _GAP.sub(lambda gap: values[gap[1]], self.target)


class Index:
    """Finds the template of a text by its first word, or among those that begin with a gap."""

    def __init__(self, templates: Iterable[Template]) -> None:
        self._by_word: dict[str, list[Template]] = {}
        self._others: list[Template] = []
        for template in sorted(templates, key=lambda one: -one.weight):
            if not template.gaps:
                continue
            word, space, _ = template.fixed[0].partition(" ")
            (self._by_word.setdefault(word, []) if space else self._others).append(template)

    def find(self, text: str) -> tuple[Template, Mapping[str, str]] | None:
        """The template that fits, and what stands in its gaps.

        Of several the one that knows the text from the earliest place on, for what comes later may be a cause
        with a template of its own; then the one with the most fixed text.
        """
        candidates = (*self._by_word.get(text.partition(" ")[0], ()), *self._others)
        fits = ((one, values) for one in candidates if (values := one.read(text)) is not None)
        return min(fits, key=lambda one: (one[0].begins(one[1]), -one[0].weight), default=None)

    def translate(self, text: str, exact: Callable[[str], str | None], depth: int = 0) -> str | None:
        """The text in the other language; None where it is not known.

        Parameters
        ----------
        exact : callable
            Finds texts without gaps.
        """
        whole = exact(text)
        found = self.find(text) if whole is None and depth < _DEEP else None
        if found is None:
            return whole
        template, values = found
        spoken = {
            name: (self.translate(value, exact, depth + 1) or value) if name.startswith("why") else value
            for name, value in values.items()
        }
        return template.fill(spoken)

    def __iter__(self) -> Iterator[Template]:
        for templates in (*self._by_word.values(), self._others):
            yield from templates


def _fits(name: str, value: str) -> bool:
    kind = name.rstrip("0123456789")
    if kind not in _ONE_WORD:
        return True
    return not any(map(str.isspace, value)) and (kind != _OPTION or value.startswith("-"))
