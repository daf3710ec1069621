"""The tables of docs/preflight.md, and whether a text says what a row promises."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from xlearning.client.console import PlainConsole
from xlearning.client.language.catalogue import catalogue
from xlearning.client.language.speaker import Speaker
from xlearning.client.problems import Problem, Refused
from xlearning.client.scan import scan
from xlearning.client.submit import run
from xlearning.errors import XLearningError

_DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "preflight.md"


def rows(section: str) -> Mapping[str, tuple[str, str]]:
    """Situation -> message and fix of the table below a heading."""
    text = _DOCUMENT.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert len({cell[0] for cell in cells}) == len(cells), "a situation stands there twice"
    return {situation: (message, fix) for situation, message, fix in cells}


def keeps(row: tuple[str, str], said: str) -> None:
    """Message and fix of a row are in what was said, one after the other."""
    text, place = " ".join(said.split()), 0
    for cell in row:
        for part in filter(None, (part.strip() for part in cell.split("…"))):
            found = text.find(part, place)
            assert found >= 0, f"not said: {part!r}\nsaid: {said}"
            place = found + len(part)


def said_by(*words: object) -> str:
    """What `xl-submit` says to people about a command line, up to the end of its preflight."""
    stream = io.StringIO()
    try:
        run(scan([*map(str, words)]), PlainConsole(stream))
    except XLearningError as error:
        _in_chinese(error)
        return f"{stream.getvalue()}\n{error}"
    return stream.getvalue()


def _in_chinese(error: XLearningError) -> None:
    """Whatever is told before a submission has a translation."""
    speaker = Speaker(catalogue("zh"), "utf-8")
    problems = error.problems if isinstance(error, Refused) else [Problem(error.message, error.hint or "")]
    for text in (text for one in problems for text in (one.message, one.fix) if text):
        assert speaker.sentence(text) != text, f"not translated: {text}"
