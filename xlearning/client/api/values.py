"""Values of a `Job`'s fields: as Python users write them, in the form that is kept, and as words. Pure.

The form that is kept is the simplest one that both sides can say, so that equal jobs compare equal
however they were written.
"""

from __future__ import annotations

import enum
import operator
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from xlearning.client.options import Option, Takes
from xlearning.client.planning.names import split_list
from xlearning.client.problems import Problem
from xlearning.config.keys import Kind, lookup

_NUMBERS = (Kind.INT, Kind.MEMORY, Kind.SIZE, Kind.DURATION_S, Kind.DURATION_MS)
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


class Form(enum.Enum):
    """What a field holds, and what is kept of it."""

    TEXT = "text"  # str
    NUMBER = "a number, or a text such as '4g'"  # int where it is one, else str
    SWITCH = "True or False"  # bool
    FLAG = "True, or leave it out"  # bool; as there is no word for False, that is None
    PAIRS = "a mapping of names to values"  # dict of str to str, or to None
    NAMED = "a mapping {path: name}, or a list of 'path#name'"  # tuple of texts as behind the option
    PATHS = "a list of paths"  # tuple of paths, each as it is


class Unfit(Exception):
    """A value that no word stands for; its message ends a sentence that begins with the field."""


def form_of(option: Option) -> Form:
    """The form of an option's field, which follows from the table."""
    if option.takes is Takes.SWITCH:
        return Form.SWITCH
    if option.takes is Takes.NOTHING:
        return Form.FLAG
    if option.takes is Takes.MANY:
        if "=VALUE" in option.metavar:
            return Form.PAIRS
        return Form.NAMED if "#NAME" in option.metavar else Form.PATHS
    key = lookup(option.key) if option.key else None
    numeric = key.kind in _NUMBERS if key else option.metavar == "INDEX"
    return Form.NUMBER if numeric else Form.TEXT


def kept(option: Option, value: Any, field: str, problems: list[Problem]) -> Any:
    """What is kept of a value that a Python user gave; None, and a problem more, where it is no value."""
    if value is None:
        return None
    form = form_of(option)
    try:
        found = _KEEP[form](value, option)
    except Unfit as error:
        problems.append(Problem(f"{field}={_short(value)}: {error}", f"give {form.value}"))
        return None
    return None if found in ((), {}) else found  # nothing given, in the words of the command line


def read(option: Option, texts: Sequence[str], problems: list[Problem]) -> Any:
    """What is kept of the texts that follow an option."""
    form = form_of(option)
    if form in (Form.SWITCH, Form.FLAG):
        return texts[0] == "true"
    if form is Form.PAIRS:
        return _read_pairs(option, texts, problems) or None
    if form is Form.NAMED:
        return tuple(texts)
    if form is Form.PATHS:
        return tuple(path for text in texts for path in _paths_in(option, text)) or None
    return _number(texts[0]) if form is Form.NUMBER else texts[0]


def texts(option: Option, value: Any) -> tuple[str, ...]:
    """What follows the option for a value in the form that is kept."""
    form = form_of(option)
    if value is None or (form is Form.FLAG and not value):
        return ()
    if form in (Form.SWITCH, Form.FLAG):
        return ("true" if value else "false",)
    if form is Form.PAIRS:
        return tuple(name if text is None else f"{name}={text}" for name, text in value.items())
    if form is Form.NAMED:
        return tuple(value)
    if form is Form.PATHS:
        return tuple(_of_list(path, option) for path in value)
    return (str(value),)


def plain(value: Any) -> str:
    """The text of one value of a mapping.

    Raises
    ------
    Unfit
        It is neither text, number, truth value nor path.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return _path(value)
    if isinstance(value, float):
        return repr(value)
    try:
        return str(operator.index(value))
    except TypeError:
        raise Unfit(f"{_short(value)} is neither a text, a number nor True or False") from None


def escaped(path: str) -> str:
    """A path whose commas do not separate; those in braces, which belong to a pattern, do not anyway."""
    depth, made, before = 0, "", ""
    for char in path:
        if char == "," and depth == 0 and before != "\\":
            made += "\\"
        depth = max(0, depth + (char == "{") - (char == "}"))
        made, before = made + char, char
    return made


def _keep_text(value: Any, _option: Option) -> str:
    if isinstance(value, bool):
        raise Unfit("it is no text")
    return plain(value)


def _keep_number(value: Any, _option: Option) -> int | str:
    if isinstance(value, bool):
        raise Unfit("it is no number")
    return _number(plain(value))


def _number(text: str) -> int | str:
    """A number where writing it again gives the same text; else the text, for its reader to judge."""
    return int(text) if _WHOLE.fullmatch(text) else text


def _keep_switch(value: Any, _option: Option) -> bool:
    if not isinstance(value, bool):
        raise Unfit("it is neither True nor False")
    return value


def _keep_flag(value: Any, option: Option) -> bool | None:
    return _keep_switch(value, option) or None


def _keep_pairs(value: Any, option: Option) -> dict[str, str | None]:
    if not isinstance(value, Mapping):
        raise Unfit("it is no mapping")
    found: dict[str, str | None] = {}
    for name, one in value.items():
        if not isinstance(name, str) or not name.strip() or "=" in name:
            raise Unfit(f"{_short(name)} is no name")
        try:
            found[name.strip()] = None if one is None and _bare(option) else plain(one)
        except Unfit as error:
            raise Unfit(f"{name}: {error}") from None
    return found


def _keep_named(value: Any, option: Option) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        return tuple(f"{_of_list(_path(path), option)}#{_name(name, option)}" for path, name in value.items())
    return tuple(_named(one, option) for one in _several(value))


def _of_list(path: str, option: Option) -> str:
    word = escaped(path) if _splits(option) else path
    # an output is no pattern: braces and backslashes of its own must not be read as a list's
    read = [one.replace("\\,", ",") for one in split_list(word)]
    if option.name == "output" and path.strip() and read != [path.strip()]:
        raise Unfit(f"{path!r} is no path that an option can name")
    return word


def _named(value: Any, option: Option) -> str:
    """A text is as behind the option; a `Path` is one path without a name."""
    if isinstance(value, str):
        return value
    path = _path(value)
    if "#" in path:
        raise Unfit(f"in {path} the part after # would be its name; a mapping {{path: name}} can tell")
    return _of_list(path, option)


def _name(value: Any, option: Option) -> str:
    if not isinstance(value, str) or "#" in value:
        raise Unfit(f"{_short(value)} is no name")
    return escaped(value) if option.metavar.endswith(",...") else value


def _keep_paths(value: Any, option: Option) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(_paths_in(option, value))
    paths = tuple(_path(one) for one in _several(value))
    for path in paths:
        if not path.strip() or (_splits(option) and (path != path.strip() or "\\," in path)):
            raise Unfit(f"{path!r} is no path that an option can name")
    return paths


def _paths_in(option: Option, text: str) -> list[str]:
    """The paths of one text behind the option, each as it is."""
    if not _splits(option):
        return [text]
    return [part.replace("\\,", ",") for part in split_list(text)]


def _splits(option: Option) -> bool:
    return "," in option.metavar


def _several(value: Any) -> Sequence[Any]:
    if isinstance(value, (str, os.PathLike)):
        return [value]
    if isinstance(value, (Mapping, bytes)) or not isinstance(value, (Sequence, set, frozenset)):
        raise Unfit("it is no list")
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def _path(value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        path = os.fspath(value)
        if isinstance(path, str):
            return path
    raise Unfit(f"{_short(value)} is no path")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _bare(option: Option) -> bool:
    """Whether a name without a value means something: a variable of this process, passed on."""
    return option.metavar.startswith("NAME")


def _read_pairs(option: Option, given: Sequence[str], problems: list[Problem]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for text in given:
        name, sep, value = text.partition("=")
        if name.strip() and (sep or _bare(option)):
            found[name.strip()] = value if sep else None
            continue
        problems.append(
            Problem(f"{option.flag} {text} is not a pair", f"write {option.flag} {option.metavar}")
        )
    return found


_KEEP = {
    Form.TEXT: _keep_text,
    Form.NUMBER: _keep_number,
    Form.SWITCH: _keep_switch,
    Form.FLAG: _keep_flag,
    Form.PAIRS: _keep_pairs,
    Form.NAMED: _keep_named,
    Form.PATHS: _keep_paths,
}
