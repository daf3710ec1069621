"""Everything for people goes to stderr through here: rich on a terminal, dated lines elsewhere."""

from __future__ import annotations

import os
import re
import sys
import time
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from xlearning.client.uploading.meter import Bar, Meter, Unseen, announcement

if TYPE_CHECKING:
    import rich.console
    import rich.status


_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Console(Protocol):
    """Where messages for people go."""

    @property
    def interactive(self) -> bool:
        """Whether a person can be asked."""

    def info(self, text: str) -> None:
        """Something happened."""

    def warn(self, text: str) -> None:
        """Something that the user should know before it bites."""

    def error(self, text: str) -> None:
        """Why nothing more will happen."""

    def block(self, lines: list[str], *, good: bool) -> None:
        """Several lines that belong together, undated."""

    def status(self, text: str) -> None:
        """How it stands now; a terminal shows it in place, other streams do not."""

    def meter(self, files: int, size: int) -> Meter:
        """What shows how far an upload of so many files and bytes is."""

    def ask(self, question: str) -> bool:
        """Yes or no; `KeyboardInterrupt` when the user interrupts the question."""

    def close(self) -> None:
        """Clear what is shown in place."""


def open_console(stream: TextIO | None = None) -> Console:
    """The console for ``stream``, standard error by default."""
    target = stream or sys.stderr
    return TerminalConsole(target) if target.isatty() else PlainConsole(target)


def open_standard_streams() -> None:
    """Give a process that was started without standard streams (``2>&-``) silent ones.

    Otherwise the next file that is opened would take their number, and get what is meant for them.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
        if getattr(sys, name) is None:
            stream = open(number, mode, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def harmless(text: str) -> str:
    """Text without what commands a terminal: colours go, other control characters are spelled out.

    Programs' last lines and names of files are shown, and may hold anything.
    """
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", _SEQUENCE.sub("", text))


def silence(stream: TextIO) -> None:
    """Let everything that is still written to a stream that failed vanish, at the end of Python too."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


class PlainConsole:
    """Dated lines in the manner of log4j, for files and pipes."""

    interactive = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def info(self, text: str) -> None:
        """See `Console`."""
        self._dated("INFO", text)

    def warn(self, text: str) -> None:
        """See `Console`."""
        self._dated("WARN", text)

    def error(self, text: str) -> None:
        """See `Console`."""
        self._write(f"xl-submit: {text}")

    def block(self, lines: list[str], *, good: bool) -> None:  # noqa: ARG002
        """See `Console`."""
        self._write("\n".join(lines))

    def status(self, text: str) -> None:
        """See `Console`."""

    def meter(self, files: int, size: int) -> Meter:
        """See `Console`."""
        self.info(announcement(files, size))
        return Unseen()

    def ask(self, question: str) -> bool:  # noqa: ARG002
        """See `Console`; nobody is there to say yes."""
        return False

    def close(self) -> None:
        """See `Console`."""

    def _dated(self, level: str, text: str) -> None:
        self._write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {level:<5} {text}")

    def _write(self, text: str) -> None:
        # text may hold bytes of file names that are no UTF-8
        encoding = self._stream.encoding or "utf-8"
        shown = harmless(text).encode(encoding, "backslashreplace").decode(encoding)
        try:
            print(shown, file=self._stream, flush=True)
        except OSError:  # a full disk, a reader that has left: no reason to leave the job
            silence(self._stream)


class TerminalConsole:
    """Colours and a status line that is replaced in place; rich is loaded with the first word."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rich: rich.console.Console | None = None
        self._status: rich.status.Status | None = None

    @property
    def interactive(self) -> bool:
        """See `Console`."""
        return sys.stdin is not None and sys.stdin.isatty()

    def info(self, text: str) -> None:
        """See `Console`."""
        self._print(text)

    def warn(self, text: str) -> None:
        """See `Console`."""
        self._print(text, "yellow")

    def error(self, text: str) -> None:
        """See `Console`."""
        self._print(f"xl-submit: {text}", "red")

    def block(self, lines: list[str], *, good: bool) -> None:
        """See `Console`."""
        first, *rest = lines
        self._print(first, "bold green" if good else "bold red")
        if rest:
            self._print("\n".join(rest))

    def status(self, text: str) -> None:
        """See `Console`."""
        from rich.text import Text

        if self._status is None:
            self._status = self._console().status(Text(text))
            self._status.start()
        else:
            self._status.update(Text(text))

    def meter(self, files: int, size: int) -> Meter:
        """See `Console`."""
        self.close()
        return Bar(self._console(), files, size)

    def ask(self, question: str) -> bool:
        """See `Console`."""
        self.close()
        print(question, end="", file=self._stream, flush=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def close(self) -> None:
        """See `Console`."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _console(self) -> Any:
        if self._rich is None:
            from rich.console import Console

            self._rich = Console(
                file=self._stream, markup=False, highlight=False, emoji=False, soft_wrap=True
            )
        return self._rich

    def _print(self, text: str, style: str | None = None) -> None:
        shown = harmless(text).encode("utf-8", "backslashreplace").decode("utf-8")
        try:
            self._console().print(shown, style=style)
        except OSError:  # the terminal is gone: no reason to leave the job
            silence(self._stream)
