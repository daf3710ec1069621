"""Help of commands in the user's language."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

import click

from xlearning.client.language.choice import speaker
from xlearning.client.language.speaker import Speaker
from xlearning.client.language.width import wrapped

_AS_IT_IS = "\b\n"  # click's mark of a paragraph whose lines stay
_EXTRA = re.compile(r"(.*)  \[(.*)\]", re.DOTALL)  # default or range of an option, as click tells it


class SpokenFormatter(click.HelpFormatter):
    """Writes help as click does, every piece of it in the user's language."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        super().__init__(indent_increment, width, max_width)
        self._speaker = speaker(sys.stdout)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """See click."""
        if self._speaker is not None and prefix is None:
            prefix = f"{self._speaker.word('Usage:')} "
        super().write_usage(prog, args, prefix)

    def write_heading(self, heading: str) -> None:
        """See click."""
        super().write_heading(self._speaker.word(heading) if self._speaker else heading)

    def write_text(self, text: str) -> None:
        """See click."""
        if self._speaker is None:
            super().write_text(text)
            return
        indent = " " * self.current_indent
        told = [self._paragraph(part, self._speaker) for part in text.split("\n\n")]
        self.write("\n\n".join("\n".join(f"{indent}{line}" for line in lines) for lines in told) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """See click."""
        if self._speaker is None:
            super().write_dl(rows, col_max, col_spacing)
            return
        told = list(rows)
        first = min(max((len(name) for name, _ in told), default=0), col_max) + col_spacing
        indent = " " * self.current_indent
        for name, text in told:
            lines = wrapped(_cell(text, self._speaker), max(self.width - first - 2, 10))
            fits = len(name) <= first - col_spacing
            head, rest = (lines[:1], lines[1:]) if fits else ([], lines)
            self.write(f"{indent}{name.ljust(first)}{''.join(head)}".rstrip() + "\n")
            self.write("".join(f"{indent}{' ' * first}{line}\n" for line in rest))

    def _paragraph(self, text: str, speaker: Speaker) -> list[str]:
        if text.startswith(_AS_IT_IS):
            return [speaker.line(line) for line in text.removeprefix(_AS_IT_IS).split("\n")]
        width = max(self.width - self.current_indent, 11)
        return wrapped(speaker.sentence(" ".join(text.split())), width)


class SpokenContext(click.Context):
    """A context whose help is in the user's language."""

    formatter_class = SpokenFormatter


class SpokenCommand(click.Command):
    """A command whose help is in the user's language."""

    context_class = SpokenContext


def _cell(text: str, speaker: Speaker) -> str:
    found = _EXTRA.fullmatch(text)
    if found is None:
        return speaker.sentence(text).replace("。 ", "。")
    extra = "; ".join(speaker.sentence(part) for part in found[2].split("; "))
    return f"{speaker.sentence(found[1])}  [{extra}]"
