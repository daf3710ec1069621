"""Layers of properties become one set, each value with its source; what is odd is told, not raised."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from xlearning.config import hadoop_xml, properties_file
from xlearning.config.confidential import HIDDEN, hide, is_secret, mask
from xlearning.config.expand import Expander
from xlearning.config.files import ConfFile
from xlearning.config.keys import HBOX_PREFIX, PREFIX, canonical, is_known, lookup, suggestions, unprefixed
from xlearning.errors import ConfigError

_REFERENCE = re.compile(r"\$\{[^}]*")
_TOLD = 20  # warnings of a kind; each suggestion takes milliseconds
_EXPANDED = 64 * 2**20  # characters of all values with references
_SHOWN = 200  # characters of a bad value


class Entry(NamedTuple):
    """The value of a property and where it comes from.

    Attributes
    ----------
    text : str
        The value, as text.
    source : str
        ``site file /etc/...``, ``--conf``, or an option as the user wrote it.
    spelling : str
        The name as it was given.
    given : str
        The value as it was given: of an older spelling, not the text that it stands for.
    secret : bool
        Whether the value must not be shown.
    """

    text: str
    source: str
    spelling: str
    given: str
    secret: bool = False

    @property
    def by_option(self) -> bool:
        """Whether an option of the property gave the value, not ``--conf`` or a file."""
        return self.source.startswith("-") and self.source != "--conf" and " " not in self.source

    @property
    def shown(self) -> str:
        """The value as it may be shown."""
        return HIDDEN if self.secret and self.text else mask(self.text)

    def __str__(self) -> str:
        """The value as the user gave it; secrets are left out."""
        text = HIDDEN if self.secret else mask(self.given)
        return f"{self.source} {text}" if self.by_option else f"{self.spelling}={text} ({self.source})"


class Fault(NamedTuple):
    """What is wrong with a value, or between several.

    Attributes
    ----------
    names : tuple of str
        The properties, by their own names.
    why : str
        What is wrong, beside a property and its value.
    told : str
        The same as a sentence that names them.
    """

    names: tuple[str, ...]
    why: str
    told: str


class Merger:
    """Collects layers, lowest first, and everything that is wrong with them."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.warnings: list[str] = []
        self.problems: list[Fault] = []
        self.unread: list[str] = []  # files that cannot be read, and why
        self._finals: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def told(self) -> tuple[str, ...]:
        """The warnings, and how many of a kind were left out."""
        more = (f"and {n - _TOLD} more {kind}" for kind, n in self._counts.items() if n > _TOLD)
        return (*self.warnings, *more)

    def _among_the_first(self, kind: str) -> bool:
        self._counts[kind] += 1
        return self._counts[kind] <= _TOLD

    def add_files(self, files: Iterable[ConfFile]) -> None:
        """The files that are read, in their order; what an earlier file declared final stays."""
        taken = None
        for one in files:
            if one.read:
                taken = one
                try:
                    self._add_file(one)
                except ConfigError as error:
                    self.unread.append(error.message)
            elif taken is not None and one.path.exists():
                self.warnings.append(f"{one.path} is not read: {taken.path} is read in its place")

    def _add_file(self, one: ConfFile) -> None:
        file = properties_file.read(one.path) if one.java else hadoop_xml.read(one.path)
        self.warnings += file.warnings
        kept = []
        for name, text in file.values.items():
            full = canonical(name)
            if one.hadoops and not full.startswith(PREFIX):
                continue
            if full not in self._finals:
                kept.append((name, text))
            elif self._raw(full) != text and self._among_the_first("properties that are final"):
                self.warnings.append(f"{name} of {one.title} is ignored: final in {self._finals[full]}")
        self.add(kept, one.title)
        for name in file.finals:
            self._finals.setdefault(canonical(name), one.title)

    def add(self, items: Iterable[tuple[str, str]], source: str) -> None:
        """One layer: (name, text) pairs; a later pair of the same spelling wins."""
        layer: dict[str, dict[str, str]] = {}
        for name, text in items:
            name = name.strip()
            layer.setdefault(canonical(name), {})[name] = text
            self._check_name(name, source)
        for full, given in layer.items():
            if len(set(given.values())) > 1:
                pairs = " and ".join(f"{name}={text}" for name, text in hide(given).items())
                why = f"{pairs} ({source}) are one property with two values: keep one"
                self.problems.append(Fault((full,), why, why))
            spelling, text = list(given.items())[-1]
            self.entries[full] = Entry(text, source, spelling, text, is_secret(spelling))
            key = lookup(full)
            if key and key.stands_for and text.strip().lower() == "true" and key.stands_for[0] not in layer:
                name, meant = key.stands_for
                self.entries[name] = Entry(meant, source, spelling, text)

    def expand(self, environ: Mapping[str, str]) -> None:
        """Replace the references of every value, over the merged set."""
        expander = Expander(self._raw, environ)
        expanded, room = {}, _EXPANDED
        for full, entry in self.entries.items():
            try:
                text = expander.expand(entry.text)
                if text != entry.text:
                    room -= len(text)
                    if room < 0:
                        raise ValueError("references make too much text of all values together")
                    secret = entry.secret or any(map(is_secret, _REFERENCE.findall(entry.text)))
                    entry = entry._replace(text=text, given=text, secret=secret)
                expanded[full] = entry
            except ValueError as error:
                self.problems.append(Fault((full,), str(error), f"{_shortened(str(entry))}: {error}"))
                expanded[full] = entry
                if room < 0:
                    return
        self.entries = expanded

    def drop_defaults(self) -> None:
        """Forget values that only repeat the table's default."""
        for name in [name for name, entry in self.entries.items() if _is_default(name, entry.text)]:
            del self.entries[name]

    def _raw(self, name: str) -> str | None:
        entry = self.entries.get(canonical(name))
        if entry is not None:
            return entry.text
        key = lookup(name)
        return key.default if key else None

    def _check_name(self, name: str, source: str) -> None:
        if name.startswith((PREFIX, HBOX_PREFIX)) and not is_known(name):
            if not self._among_the_first("unknown properties"):
                return
            near = suggestions(name)
            hint = f"; did you mean {near[0]}?" if near else ""
            self.warnings.append(f"unknown property {name} ({source}){hint}")
        elif (meant := unprefixed(name)) and self._among_the_first(f"names without {PREFIX}"):
            self.warnings.append(f"{name} ({source}) is no property of XLearning; did you mean {meant}?")


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _is_default(name: str, text: str) -> bool:
    key = lookup(name)
    return key is not None and key.default == text
