"""What an option of ``xl-submit`` is: its spellings, what follows it, what it sets."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property


class Takes(enum.Enum):
    """What follows the name of an option."""

    NOTHING = "nothing"
    ONE = "one"  # a value; the first of several given counts, as in XLearning
    MANY = "many"  # a value; may be given again and again
    SWITCH = "switch"  # true or false, true when the value is left out
    INLINE = "inline"  # a value after =, or none


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes
    ----------
    name : str
        Canonical name, without dashes in front; also the name under which its values are found.
    help : str
        What it does, in a sentence or two.
    group : str
        Heading under which ``--help`` shows it.
    takes : Takes
        Whether and how often a value follows.
    key : str
        Configuration property that a value sets; empty for options that are no property.
    metavar : str
        Stands for the value in ``--help``.
    aliases : tuple of str
        Further spellings; the camelCase form of each spelling is added by itself.
    short : str
        One-letter name, or empty.
    common : bool
        Whether ``--help`` shows it; ``--help-all`` shows all.
    instead : str
        For an option of the original whose feature is missing and that has no key which says so:
        what to do instead. Using the option is then an error.
    """

    name: str
    help: str
    group: str
    takes: Takes = Takes.ONE
    key: str = ""
    metavar: str = "TEXT"
    aliases: tuple[str, ...] = ()
    short: str = ""
    common: bool = False
    instead: str = ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every spelling without dashes in front, the canonical one first."""
        spellings = dict.fromkeys((self.name, *self.aliases))
        return tuple(dict.fromkeys((*spellings, *map(camel, spellings))))

    @property
    def flag(self) -> str:
        """The canonical spelling, such as ``--worker-num``."""
        return f"--{self.name}"

    @property
    def identifier(self) -> str:
        """The name as Python writes it, such as ``worker_num``."""
        return self.name.replace("-", "_")


def camel(name: str) -> str:
    """``worker-num`` as ``workerNum``; names without a dash stay as they are."""
    first, *rest = name.split("-")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)
