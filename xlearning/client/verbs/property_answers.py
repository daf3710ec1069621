"""What ``xl-submit config`` answers: records, made from the table of properties and a configuration."""

from __future__ import annotations

from dataclasses import dataclass

from xlearning.client.options import OPTIONS, spellings
from xlearning.config import Config
from xlearning.config.confidential import HIDDEN
from xlearning.config.effects import effect_of, means_default
from xlearning.config.keys import HADOOP_FAMILIES, KEYS, PREFIX, canonical, family, lookup, suggestions
from xlearning.config.schema import Effect, Key, Kind
from xlearning.config.values import accepted
from xlearning.errors import UsageError
from xlearning.units import format_bytes, format_duration

COUNTS, MISSING, IGNORED, UNKNOWN = "counts", "missing", "ignored", "unknown"


@dataclass(frozen=True)
class PropertyAnswer:
    """One property.

    Attributes
    ----------
    name : str
        Its own name, whatever name was asked for.
    type : str
        How its text is read, such as ``memory``.
    accepted : str
        What may be written, in words.
    default : str or null
        Text of the default; null: not set.
    value : str or null
        Text that counts; secrets are hidden.
    meaning : str
        The value in other words, such as ``4.0 GiB`` for ``4g``; often empty.
    source : str
        Where the value comes from: ``default``, a file, ``--conf``.
    spelling : str
        The name under which the source has it; empty for a default.
    effect : str
        ``counts``, ``missing`` (not part of this version: using it is an error), ``ignored`` (no
        effect), or ``unknown``.
    reason : str
        For ``missing`` what this version cannot do yet, for ``ignored`` why a value changes nothing.
    instead : str
        For ``missing`` what to do instead.
    doc : str
        What it means.
    option : str
        The option of ``xl-submit`` that sets it; empty where there is none.
    aliases : list of str
        Further names of the property.
    bad : str
        What is wrong with the value, so that no job can be submitted; empty where nothing is.
    """

    name: str
    type: str
    accepted: str
    default: str | None
    value: str | None
    meaning: str
    source: str
    spelling: str
    effect: str
    reason: str
    instead: str
    doc: str
    option: str
    aliases: tuple[str, ...]
    bad: str


@dataclass(frozen=True)
class FileAnswer:
    """One file that was looked at.

    Attributes
    ----------
    path : str
        Where it is, or would be.
    read : bool
        Whether its values count; else it is not there, or another one is read in its place.
    there : bool
        Whether there is such a file.
    """

    path: str
    read: bool
    there: bool


@dataclass(frozen=True)
class ConfigAnswer:
    """Properties, and the files that were looked at.

    Attributes
    ----------
    files : list of FileAnswer
        The lowest first: values of later ones win.
    properties : list of PropertyAnswer
        Sorted by name.
    """

    files: tuple[FileAnswer, ...]
    properties: tuple[PropertyAnswer, ...]


def listed(config: Config, *, every: bool) -> ConfigAnswer:
    """The properties whose value is not the default, or all."""
    given = config.explicit()
    names = {
        name for name, text in given.items() if every or name in config.bad or not means_default(name, text)
    } | config.bad.keys()
    if every:
        names |= {key.name for key in KEYS}
    return _answer(config, sorted(names))


def explained(config: Config, name: str) -> ConfigAnswer:
    """One property, by any of its names, by its option, or without its prefix.

    Raises
    ------
    UsageError
        There is none of this name; the hint tells similar ones.
    """
    return _answer(config, [_find(name.strip())])


def _find(name: str) -> str:
    for candidate in (name, PREFIX + name):
        if lookup(candidate) or family(candidate):
            return canonical(candidate)
    option = spellings().get(name) or spellings().get(f"--{name}")
    if option is not None and option.key:
        return option.key
    plain = "" if name.startswith("-") else PREFIX + name
    near = suggestions(name, 3) or suggestions(plain, 3)
    hint = f"did you mean {' or '.join(near)}?" if near else "xl-submit config --all lists all properties"
    raise UsageError(f"there is no property {name}", hint=hint)


def _answer(config: Config, names: list[str]) -> ConfigAnswer:
    files = tuple(FileAnswer(str(one.path), one.read, one.path.exists()) for one in config.files)
    return ConfigAnswer(files, tuple(_property(config, name) for name in names))


def _property(config: Config, name: str) -> PropertyAnswer:
    key, entry = lookup(name), config.entry(name)
    value = entry.shown if entry else config.text(name)
    effect = effect_of(name)
    return PropertyAnswer(
        name=name,
        type=key.kind.value if key else Kind.STRING.value,
        accepted=accepted(key) if key else "any text",
        default=key.default if key else None,
        value=value,
        meaning=""
        if key is None or value in (None, HIDDEN) or name in config.bad
        else _in_words(key, config.get(name)),
        source=config.source(name),
        spelling=entry.spelling if entry else "",
        effect=_effect(name, effect),
        reason=effect.missing or effect.ignored,
        instead=effect.instead,
        doc=_doc(name, key),
        option=next((option.flag for option in OPTIONS if option.key == name), ""),
        aliases=_aliases(name, key),
        bad=config.bad.get(name, ""),
    )


def _effect(name: str, effect: Effect) -> str:
    if effect.missing:
        return MISSING
    if effect.ignored:
        return IGNORED
    return COUNTS if lookup(name) or family(name) else UNKNOWN


def _doc(name: str, key: Key | None) -> str:
    one = key or family(name)
    return one.doc if one else "A name that may stand in ${...} of other values."


def _aliases(name: str, key: Key | None) -> tuple[str, ...]:
    if key is not None:
        return key.aliases
    one = family(name)
    if one is None or one in HADOOP_FAMILIES:
        return ()
    return tuple(alias + name.removeprefix(one.prefix) for alias in one.aliases)


def _in_words(key: Key, value: object) -> str:
    if key.kind in (Kind.DURATION_MS, Kind.DURATION_S) and isinstance(value, float):
        return format_duration(value)
    if key.kind is Kind.MEMORY and isinstance(value, int):
        return format_bytes(value << 20)
    if key.kind is Kind.SIZE and isinstance(value, int):
        return format_bytes(value)
    return ""
