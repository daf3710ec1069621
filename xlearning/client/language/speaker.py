"""Says in another language what was said in English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xlearning.client.language.catalogue import Catalogue
from xlearning.client.language.width import filled
from xlearning.client.problems import Refused, listed
from xlearning.errors import XLearningError

_BESIDE = " · "
_CREW = re.compile(r"(\S+:? +)(\d+ [a-z]+(?:, \d+ [a-z]+)*)")  # worker: 1 running, 2 starting
_ROW = re.compile(r"(    \S+ +)([a-z]+)( .*|)")  # a container in the panel
_FOREIGN = " " * 4  # before lines of programs and names of files
_OWN = f"{_FOREIGN}| xlearning: "  # before lines of ours in the program's place, such as MPI's launcher's


class Speaker:
    """Speaks the language of a catalogue. What it does not know, or a stream cannot show, stays English.

    Parameters
    ----------
    encoding : str
        Of the stream.
    """

    def __init__(self, catalogue: Catalogue, encoding: str) -> None:
        self._texts, self._index, self._encoding = catalogue.texts, catalogue.index, encoding

    def word(self, text: str) -> str:
        """A fixed text."""
        return self._shown(self._texts.get(text), text)

    def sentence(self, text: str) -> str:
        """One sentence, or a whole message that is known as such."""
        return self._shown(self._index.translate(text, self._texts.get), text)

    def lines(self, text: str) -> str:
        """Lines that are a sentence each. Those that stand far in are not ours."""
        return "\n".join(map(self.line, text.split("\n")))

    def line(self, text: str) -> str:
        """One line; how far it stands in is kept."""
        if text.startswith(_OWN):
            return _OWN + self.sentence(text.removeprefix(_OWN))
        body = text.lstrip(" ")
        if text.startswith(_FOREIGN) or not body:
            return text
        return text[: len(text) - len(body)] + _BESIDE.join(map(self._part, body.split(_BESIDE)))

    def panel(self, text: str) -> str:
        """The lines of the panel: columns stay where they are."""
        return "\n".join(self._row(line) for line in text.split("\n"))

    def error(self, error: XLearningError) -> str:
        """An error with its way out."""
        if isinstance(error, Refused) and len(error.problems) > 1:
            return listed(error.problems, self.sentence)
        if not error.hint:
            return self.sentence(error.message)
        return f"{self.sentence(error.message)}\n  {self.word('hint:')} {self.sentence(error.hint)}"

    def title(self, text: str, width: int) -> str:
        """A fixed text, filled up to a width."""
        return filled(self.word(text), width)

    def _part(self, text: str) -> str:
        found = self.sentence(text) if " " in text else text  # a word alone is a state, or not ours
        crew = _CREW.fullmatch(text) if found == text else None
        return crew[1] + self._crew(crew[2]) if crew else found

    def _crew(self, text: str) -> str:
        counts: Sequence[str] = text.split(", ")
        return ", ".join(
            f"{count} {self.word(state)}" for count, _, state in (one.partition(" ") for one in counts)
        )

    def _row(self, line: str) -> str:
        row = _ROW.fullmatch(line)
        if row is None:
            return self.line(line)
        rest = row[3]
        blank = len(rest) - len(rest.lstrip(" "))
        return row[1] + self.title(row[2], len(row[2])) + " " * blank + rest.lstrip(" ")

    def _shown(self, spoken: str | None, text: str) -> str:
        if spoken is None:
            return text
        try:
            spoken.encode(self._encoding)
        except UnicodeEncodeError:
            return text
        return spoken
