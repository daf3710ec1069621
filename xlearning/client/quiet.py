"""The console of ``--quiet``: what is wrong, and what was asked for, and nothing else."""

from __future__ import annotations

from xlearning.client.console import Console
from xlearning.client.uploading.meter import Meter, Unseen


class QuietConsole:
    """Passes on warnings, errors, failures and programs' lines."""

    live = False

    def __init__(self, console: Console) -> None:
        self._console = console

    @property
    def interactive(self) -> bool:
        """See `Console`."""
        return self._console.interactive

    def info(self, text: str) -> None:
        """See `Console`."""

    def warn(self, text: str) -> None:
        """See `Console`."""
        self._console.warn(text)

    def error(self, text: str) -> None:
        """See `Console`."""
        self._console.error(text)

    def block(self, lines: list[str], *, good: bool) -> None:
        """See `Console`."""
        if not good:
            self._console.block(lines, good=good)

    def output(self, lines: list[str]) -> None:
        """See `Console`."""
        self._console.output(lines)

    def status(self, text: str, trouble: str = "") -> None:
        """See `Console`."""

    def meter(self, files: int, size: int) -> Meter:  # noqa: ARG002
        """See `Console`."""
        return Unseen()

    def ask(self, question: str, seconds: float) -> str:
        """See `Console`."""
        return self._console.ask(question, seconds)

    def close(self) -> None:
        """See `Console`."""
        self._console.close()
