"""Everything for people goes to stderr through here: rich on a terminal, dated lines elsewhere.

Threads may use one console at a time.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from xlearning.client.language.choice import speaker
from xlearning.client.uploading.meter import Bar, Meter, Unseen, announcement
from xlearning.config.confidential import mask

if TYPE_CHECKING:
    import rich.console

    from xlearning.client.panel import Panel


_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Console(Protocol):
    """Where messages for people go."""

    @property
    def interactive(self) -> bool:
        """Whether a person can be asked."""

    @property
    def live(self) -> bool:
        """Whether `status` is seen."""

    def info(self, text: str) -> None:
        """Something happened."""

    def warn(self, text: str) -> None:
        """Something that the user should know before it bites."""

    def error(self, text: str) -> None:
        """Why nothing more will happen."""

    def block(self, lines: list[str], *, good: bool) -> None:
        """Several lines that belong together, undated."""

    def output(self, lines: list[str]) -> None:
        """Lines that programs have written, undated."""

    def status(self, text: str, trouble: str = "") -> None:
        """How it stands now, in one line or several; a terminal shows it in place, other streams do not."""

    def meter(self, files: int, size: int) -> Meter:
        """What shows how far an upload of so many files and bytes is."""

    def ask(self, question: str, seconds: float) -> str:
        """The key that answers; empty for none. `KeyboardInterrupt` when the user interrupts the question."""

    def close(self) -> None:
        """Clear what is shown in place."""


def open_console(stream: TextIO | None = None, *, quiet: bool = False, color: bool = True) -> Console:
    """The console for ``stream``, standard error by default.

    Parameters
    ----------
    quiet : bool
        Say only what is wrong.
    color : bool
        Whether a terminal that has colours shows them, unless the variable ``NO_COLOR`` forbids it.
    """
    target = stream or sys.stderr
    skilled = target.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown")
    console: Console = TerminalConsole(target, color=color) if skilled else PlainConsole(target)
    spoken = speaker(target)
    if spoken is not None:
        from xlearning.client.language.console import SpeakingConsole

        console = SpeakingConsole(console, spoken)
    if not quiet:
        return console
    from xlearning.client.quiet import QuietConsole

    return QuietConsole(console)


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


def _encodable(text: str) -> str:
    """What a terminal can be sent: bytes of file names that are no UTF-8 are spelled out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def silence(stream: TextIO) -> None:
    """Let everything that is still written to a stream that failed vanish, at the end of Python too."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


class PlainConsole:
    """Dated lines in the manner of log4j, for files and pipes."""

    interactive = False
    live = False

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._lock = stream, threading.Lock()

    def info(self, text: str) -> None:
        """See `Console`."""
        self._dated("INFO", text)

    def warn(self, text: str) -> None:
        """See `Console`."""
        self._dated("WARN", text)

    def error(self, text: str) -> None:
        """See `Console`."""
        self._write(f"xl-submit: {mask(text)}")

    def block(self, lines: list[str], *, good: bool) -> None:  # noqa: ARG002
        """See `Console`."""
        self._write(mask("\n".join(lines)))

    def output(self, lines: list[str]) -> None:
        """See `Console`."""
        self._write("\n".join(lines))

    def status(self, text: str, trouble: str = "") -> None:
        """See `Console`."""

    def meter(self, files: int, size: int) -> Meter:
        """See `Console`."""
        self.info(announcement(files, size))
        return Unseen()

    def ask(self, question: str, seconds: float) -> str:  # noqa: ARG002
        """See `Console`; nobody is there to answer."""
        return ""

    def close(self) -> None:
        """See `Console`."""

    def _dated(self, level: str, text: str) -> None:
        self._write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {level:<5} {mask(text)}")

    def _write(self, text: str) -> None:
        # text may hold bytes of file names that are no UTF-8
        encoding = self._stream.encoding or "utf-8"
        shown = harmless(text).encode(encoding, "backslashreplace").decode(encoding)
        try:
            with self._lock:
                print(shown, file=self._stream, flush=True)
        except OSError:  # a full disk, a reader that has left: no reason to leave the job
            silence(self._stream)


class TerminalConsole:
    """Colours and a panel that is redrawn in place; rich is loaded with the first word."""

    live = True

    def __init__(self, stream: TextIO, *, color: bool = True) -> None:
        self._stream, self._color, self._lock = stream, color, threading.RLock()
        self._rich: rich.console.Console | None = None
        self._panel: Panel | None = None

    @property
    def interactive(self) -> bool:
        """See `Console`."""
        from xlearning.client.question import can_be_asked

        return can_be_asked()

    def info(self, text: str) -> None:
        """See `Console`."""
        self._print(mask(text))

    def warn(self, text: str) -> None:
        """See `Console`."""
        self._print(mask(text), "yellow")

    def error(self, text: str) -> None:
        """See `Console`."""
        self._print(f"xl-submit: {mask(text)}", "red")

    def block(self, lines: list[str], *, good: bool) -> None:
        """See `Console`."""
        first, *rest = mask("\n".join(lines)).split("\n")
        self._print(first, "bold green" if good else "bold red")
        if rest:
            self._print("\n".join(rest))

    def output(self, lines: list[str]) -> None:
        """See `Console`."""
        self._print("\n".join(lines))

    def meter(self, files: int, size: int) -> Meter:
        """See `Console`."""
        self.close()
        return Bar(self._console(), files, size)

    def status(self, text: str, trouble: str = "") -> None:
        """See `Console`."""
        from xlearning.client.panel import Panel

        with self._lock:
            self._panel = self._panel or Panel(self._console())
            try:
                self._panel.show(_encodable(harmless(text)), _encodable(harmless(trouble)))
            except OSError:  # the terminal is gone
                silence(self._stream)

    def ask(self, question: str, seconds: float) -> str:
        """See `Console`."""
        from xlearning.client.question import ask_for_key

        with self._lock:
            self.close()
            return ask_for_key(question, seconds, self._stream)

    def close(self) -> None:
        """See `Console`."""
        try:
            with self._lock:
                if self._panel is not None:
                    self._panel.close()
        except OSError:
            silence(self._stream)

    def _console(self) -> Any:
        if self._rich is None:
            from rich.console import Console

            self._rich = Console(
                file=self._stream,
                markup=False,
                highlight=False,
                emoji=False,
                soft_wrap=True,
                no_color=None if self._color else True,
            )
        return self._rich

    def _print(self, text: str, style: str | None = None) -> None:
        try:
            with self._lock:
                self._console().print(_encodable(harmless(text)), style=style)
        except OSError:  # the terminal is gone: no reason to leave the job
            silence(self._stream)
