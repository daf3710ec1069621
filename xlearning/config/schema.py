"""What a property is: type, default, meaning, names, and what becomes of a value that is given."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

PREFIX = "xlearning."
HBOX_PREFIX = "hbox."
# how names of Hadoop's own properties begin
_HADOOP = (
    "mapred.", "mapreduce.", "textinputformat.", "fixedlengthinputformat.", "key.value.", "stream.map.",
    "fs.s3a.", "yarn.nodemanager.",
)  # fmt: skip


class Kind(Enum):
    """How the text of a property is read, and the Python type that comes out."""

    STRING = "text"  # str
    INT = "int"  # int
    FLOAT = "float"  # float
    BOOL = "bool"  # bool
    MEMORY = "memory"  # int, MB; a plain number is MB
    DURATION_MS = "duration (ms)"  # float seconds; a plain number is milliseconds
    DURATION_S = "duration (s)"  # float seconds; a plain number is seconds
    SIZE = "size"  # int, bytes
    ENUM = "enum"  # str, one of `Key.values`
    PATH = "path"  # str; a leading ~ is the home folder
    LIST = "list"  # tuple of str, separated by commas


class Effect(NamedTuple):
    """What becomes of a value other than the default: it counts, is refused, or changes nothing.

    Attributes
    ----------
    missing : str
        What this version would have to do and cannot, as in "cannot ... yet"; the value is an error.
    instead : str
        What to do instead of ``missing``.
    ignored : str
        Why the value changes nothing; it is a warning.
    """

    missing: str = ""
    instead: str = ""
    ignored: str = ""


COUNTS = Effect()


def missing(what: str, instead: str) -> Effect:
    """A value is an error, since this version cannot do ``what`` yet; ``instead`` is the way out."""
    return Effect(missing=what, instead=instead)


def ignored(why: str) -> Effect:
    """A value is accepted, changes nothing, and is answered by a warning that says why."""
    return Effect(ignored=why)


class Key(NamedTuple):
    """One property.

    Attributes
    ----------
    default : str or None
        Text form; None means "not set".
    aliases : tuple of str
        Other full names that mean the same property.
    values : tuple of str
        Allowed values of an ``ENUM``.
    minimum, maximum : float or None
        Inclusive bounds, in the unit of the typed value.
    effect : Effect
        What becomes of a value other than the default.
    defaults : tuple of str
        Further texts that mean the default, such as those of the original's own files.
    stands_for : tuple of (str, str) or None
        The (property, text) that the value true is an older spelling of.
    types : tuple of str
        The application types that read it; empty: all.
    """

    name: str
    kind: Kind
    default: str | None
    doc: str
    aliases: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    effect: Effect = COUNTS
    defaults: tuple[str, ...] = ()
    stands_for: tuple[str, str] | None = None
    types: tuple[str, ...] = ()


class Family(NamedTuple):
    """Properties that share a prefix and a suffix; the rest of the name is the user's (kept as written).

    Attributes
    ----------
    aliases : tuple of str
        Other prefixes that mean the same.
    """

    prefix: str
    doc: str
    aliases: tuple[str, ...] = ()
    effect: Effect = COUNTS
    suffix: str = ""

    def holds(self, name: str) -> bool:
        """Whether ``name``, which begins as the family does, is a member."""
        ends = name.startswith(self.prefix) and name.endswith(self.suffix)
        return ends and len(name) > len(self.prefix) + len(self.suffix)


class Group(NamedTuple):
    """Properties of one theme, under a heading of the documentation."""

    title: str
    keys: tuple[Key, ...]


def key(
    short: str,
    kind: Kind,
    default: str | None,
    doc: str,
    *,
    also: tuple[str, ...] = (),
    values: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    effect: Effect = COUNTS,
    defaults: tuple[str, ...] = (),
    stands_for: tuple[str, str] | None = None,
    types: tuple[str, ...] = (),
) -> Key:
    """The key ``xlearning.<short>``, known as ``hbox.<short>`` too.

    Parameters
    ----------
    also : tuple of str
        Further names: short ones, which answer to both prefixes, or Hadoop's full ones.
    """
    names = [HBOX_PREFIX + short]
    for name in also:
        foreign = name.startswith(_HADOOP)
        names += [name] if foreign else [PREFIX + name, HBOX_PREFIX + name]
    return Key(
        PREFIX + short, kind, default, doc, tuple(names), values, low, high,
        effect, defaults, stands_for, types,
    )  # fmt: skip
