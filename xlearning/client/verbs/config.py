"""``xl-submit config``: which values count, and where they come from."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from xlearning.client.answers import JSON, answer, answer_json, table
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.verbs.property_answers import (
    COUNTS,
    IGNORED,
    MISSING,
    UNKNOWN,
    ConfigAnswer,
    FileAnswer,
    PropertyAnswer,
    explained,
    listed,
)
from xlearning.config import Config
from xlearning.config.effects import judge
from xlearning.job import to_dict

_HEAD = ("NAME", "VALUE", "SOURCE")
_WIDTH = 100


def run(config: Config, console: Console, *, every: bool, explain: str, output: str) -> int:
    """Tell properties; the exit code.

    Parameters
    ----------
    every : bool
        All properties, not only those whose value is not the default.
    explain : str
        Name of the one property that is told at length; empty for a list.

    Raises
    ------
    xlearning.errors.UsageError
        There is no property of the name in ``explain``.
    """
    found = explained(config, explain) if explain else listed(config, every=every)
    if not explain:
        _remark(config, console)
    if output == JSON:
        told = answer_json(to_dict(found), console)
    else:
        told = answer(explain_lines(found) if explain else list_lines(found), console)
    return EXIT_OK if told else EXIT_CLIENT


def list_lines(found: ConfigAnswer) -> list[str]:
    """A line for each property, then the files."""
    rows = [(one.name, "-" if one.value is None else one.value, _marked(one)) for one in found.properties]
    lines = table(_HEAD, rows) if rows else ["Every property has its default."]
    return [*lines, "", "Files, later ones win:", *(f"  {line}" for line in _files(found.files))]


def explain_lines(found: ConfigAnswer) -> list[str]:
    """Everything about one property."""
    (one,) = found.properties
    lines = [one.name, *_wrapped(one.doc, "  "), ""]
    for title, paragraphs in _facts(one, found):
        first = f"  {title:<9} "
        for text in paragraphs:
            lines += _wrapped(text, first)
            first = " " * len(first)
    return lines


def _facts(one: PropertyAnswer, found: ConfigAnswer) -> Iterator[tuple[str, list[str]]]:
    value = "not set" if one.value is None else one.value
    yield "Value", [f"{value} ({one.meaning})" if one.meaning else value]
    if one.bad:
        yield "Bad", [one.bad]
    yield "Source", [_source(one)]
    yield "Default", ["not set" if one.default is None else one.default]
    yield "Type", [one.accepted if one.type in one.accepted else f"{one.type}: {one.accepted}"]
    yield "Effect", [_EFFECTS[one.effect].format(one.reason)]
    if one.instead:
        yield "Instead", [one.instead]
    if one.option:
        yield "Option", [one.option]
    if one.aliases:
        yield "Also", list(one.aliases)
    yield "Files", _files(found.files)


_EFFECTS = {
    COUNTS: "a value counts",
    MISSING: "a value is an error: this version cannot {} yet",
    IGNORED: "none, a value is a warning: {}",
    UNKNOWN: "none of its own",
}


def _marked(one: PropertyAnswer) -> str:
    return f"{_source(one)}  BAD: {one.bad}" if one.bad else _source(one)


def _source(one: PropertyAnswer) -> str:
    other = one.spelling not in ("", one.name)
    return f"{one.source}, as {one.spelling}" if other else one.source


def _files(files: tuple[FileAnswer, ...]) -> list[str]:
    return [_file(one) for one in files]


def _file(one: FileAnswer) -> str:
    if one.read:
        return one.path
    return f"{one.path} ({'not read' if one.there else 'not there'})"


def _wrapped(text: str, first: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def _remark(config: Config, console: Console) -> None:
    for problem, instead in judge(config).problems:
        console.warn(f"{problem}, so no job can be submitted\n  instead: {instead}")
