"""The translations of one language, read from its files of gettext's form."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning.client.language.templates import Index, Template

_FOLDER = Path(__file__).parent
_ESCAPES = {"n": "\n", '"': '"', "\\": "\\", "b": "\b", "t": "\t"}


@dataclass(frozen=True)
class Catalogue:
    """English text -> the same in one language; ``index`` finds those with gaps."""

    texts: Mapping[str, str]
    index: Index


@functools.cache
def catalogue(language: str) -> Catalogue:
    """All translations of a language."""
    texts = dict(entries(language))
    return Catalogue(texts, Index(Template.of(source, target) for source, target in texts.items()))


def files(language: str) -> Sequence[Path]:
    """The files of a language."""
    return sorted((_FOLDER / language).glob("*.po"))


def entries(language: str) -> Iterator[tuple[str, str]]:
    """English and translation of every entry that has one, headers left out."""
    for path in files(language):
        yield from ((source, target) for source, target in read_po(path) if source and target)


def read_po(path: Path) -> Iterator[tuple[str, str]]:
    """The entries of one file.

    Raises
    ------
    ValueError
        For what is not of the plain form: comments, msgid, msgstr, and their further lines.
    """
    parts: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        keyword, _, quoted = line.partition('"')
        if not line or line.startswith("#"):
            continue
        if not line.endswith('"') or keyword not in ("msgid ", "msgstr ", ""):
            raise ValueError(f"{path}:{number}: not understood: {line}")
        if keyword == "msgid ":
            if parts:
                yield parts[0], parts[1]
            parts = [""]
        elif keyword == "msgstr ":
            parts.append("")
        parts[-1] += _unescaped(quoted[:-1])
    if parts:
        yield parts[0], parts[1]


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    letters = iter(text)
    return "".join(_ESCAPES[next(letters)] if letter == "\\" else letter for letter in letters)
