"""A console that says everything in the user's language."""

from __future__ import annotations

from xlearning.client.console import Console
from xlearning.client.language.speaker import Speaker
from xlearning.client.uploading.meter import Meter, Unseen, announcement


class SpeakingConsole:
    """Passes on what `Speaker` makes of it; programs' lines as they are."""

    def __init__(self, console: Console, speaker: Speaker) -> None:
        self._console, self._speaker = console, speaker

    @property
    def interactive(self) -> bool:
        """See `Console`."""
        return self._console.interactive

    @property
    def live(self) -> bool:
        """See `Console`."""
        return self._console.live

    def info(self, text: str) -> None:
        """See `Console`."""
        self._console.info(self._speaker.lines(text))

    def warn(self, text: str) -> None:
        """See `Console`."""
        self._console.warn(self._speaker.sentence(text))

    def error(self, text: str) -> None:
        """See `Console`."""
        self._console.error(self._speaker.sentence(text))

    def block(self, lines: list[str], *, good: bool) -> None:
        """See `Console`."""
        spoken = [line if "\n" in line else self._speaker.line(line) for line in lines]
        self._console.block(spoken, good=good)

    def output(self, lines: list[str]) -> None:
        """See `Console`."""
        self._console.output(lines)

    def status(self, text: str, trouble: str = "") -> None:
        """See `Console`."""
        self._console.status(self._speaker.panel(text), self._speaker.line(trouble))

    def meter(self, files: int, size: int) -> Meter:
        """See `Console`."""
        if self._console.live:
            return self._console.meter(files, size)
        self.info(announcement(files, size))
        return Unseen()

    def ask(self, question: str, seconds: float) -> str:
        """See `Console`."""
        return self._console.ask(self._speaker.sentence(question), seconds)

    def close(self) -> None:
        """See `Console`."""
        self._console.close()
