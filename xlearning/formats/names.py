"""Formats by the names that people give them, for input and output alike.

A format's module is loaded when the format is made.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.own import is_java, is_own


class Libraries(NamedTuple):
    """What a format is made of besides XLearning; packages as `xlearning.formats.libraries` knows them.

    Attributes
    ----------
    requires : tuple of str
        Packages without which it does not work.
    prefers : tuple of str
        Packages that some of its files need, which names do not tell.
    unpacks : bool
        Whether it reads files that are compressed as a whole, by their names.
    """

    requires: tuple[str, ...] = ()
    prefers: tuple[str, ...] = ()
    unpacks: bool = False


class Entry(NamedTuple):
    """Where a format is (``module:Class``), and the Java classes that it stands for.

    A class without a package is Hadoop's.
    """

    place: str
    classes: tuple[str, ...] = ()
    libraries: Libraries = Libraries()


class Formats:
    """All formats of one direction.

    Parameters
    ----------
    direction : str
        ``input`` or ``output``.
    entries : mapping
        Short name of each format -> what it is.
    packages : sequence of str
        Those of Hadoop's classes, each with the dot at its end.
    own, java : str
        Places of what makes the user's own formats and Java's, from a name and the configuration.
    """

    def __init__(
        self, direction: str, entries: Mapping[str, Entry], packages: Sequence[str], *, own: str, java: str
    ) -> None:
        self._direction, self._own, self._java = direction, own, java
        self._known = ", ".join(entries)
        self._entries = {
            spelling.lower(): entry
            for name, entry in entries.items()
            for spelling in (name, *_spellings(entry.classes, packages))
        }

    def through_java(self, name: str, config: Config) -> bool:
        """Whether the format called ``name`` is Java's own, and not ours in its place."""
        wanted = f"xlearning.{self._direction}format.java"
        return is_java(name) and (self._entry(name) is None or bool(config.get(wanted)))

    def libraries(self, name: str, config: Config) -> Libraries:
        """What the format called ``name`` is made of; nothing where we do not know, as of the user's own."""
        if self.through_java(name, config):
            return Libraries(("jpype1",))
        entry = self._entry(name)
        return entry.libraries if entry is not None else Libraries()

    def make(self, name: str, config: Config) -> Any:
        """The format called ``name``.

        Raises
        ------
        UsageError
            There is none, or the user's own is wrong.
        """
        if is_own(name):
            return _load(self._own)(name, config)
        if self.through_java(name, config):
            return _load(self._java)(name.strip(), config)
        entry = self._entry(name)
        if entry is None:
            raise UsageError(
                f"{self._direction} format {name} is not part of this version",
                hint=f"there is: {self._known}, module:Class for your own, and Java classes",
            )
        return _load(entry.place)(config)

    def _entry(self, name: str) -> Entry | None:
        return self._entries.get(name.strip().lower())


def _spellings(classes: Sequence[str], packages: Sequence[str]) -> Iterator[str]:
    for class_ in classes:
        yield class_.rpartition(".")[2]
        yield from (class_,) if "." in class_ else (f"{package}{class_}" for package in packages)


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
