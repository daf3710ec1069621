"""Runs `xl-submit` on a terminal of its own, as a person does: reads the screen, presses keys."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator

from submitting import Gateway, wait_for

CTRL_C = "\x03"


class Terminal:
    """A process that leads a session on a terminal."""

    def __init__(self, gateway: Gateway, words: list[str], lines: int, columns: int) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen(
            words,
            cwd=gateway.work,
            env={**gateway.environ(), "TERM": "xterm-256color"},
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._seen = bytearray()
        self._open = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the last one who had the terminal has left
            while data := os.read(self._master, 1 << 16):
                self._seen += data

    @property
    def text(self) -> str:
        """Everything that was written so far, control sequences included."""
        return bytes(self._seen).decode("utf-8", "replace")

    def shows(self, words: str, seconds: float = 30.0) -> None:
        """Wait until something was written."""
        try:
            wait_for(lambda: words in self.text or self.process.poll() is not None, seconds)
        except AssertionError:
            raise AssertionError(f"no {words!r} within {seconds:g} s in:\n{self.text}") from None
        if words not in self.text:
            self._reader.join(10)  # it has ended, and what it wrote last may not have been read yet
        assert words in self.text, self.text

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def hang_up(self) -> None:
        """Close the window."""
        if self._open:
            self._open = False
            os.close(self._master)

    def end(self, seconds: float = 60.0) -> tuple[int, str]:
        """Exit code and standard output."""
        assert self.process.stdout is not None
        out = self.process.stdout.read().decode()
        self.process.stdout.close()
        code = self.process.wait(seconds)
        self._reader.join(10)
        return code, out


@contextlib.contextmanager
def terminal(gateway: Gateway, *words: object, lines: int = 30, columns: int = 100) -> Iterator[Terminal]:
    """`xl-submit` with the gateway's words and these on a terminal."""
    made = Terminal(gateway, [*gateway.program, *gateway.where, *map(str, words)], lines, columns)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
            made.process.wait(10)
        if made.process.stdout is not None:
            made.process.stdout.close()
        made.hang_up()
