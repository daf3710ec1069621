"""A question on the terminal that one key answers."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from typing import TextIO


def can_be_asked() -> bool:
    """Whether somebody sits before standard input, and this process may read from there.

    A process in the background would be stopped for touching the terminal.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:
        return False


def ask_for_key(question: str, seconds: float, stream: TextIO) -> str:
    """The key that is pressed, in lower case; empty when none is within ``seconds``.

    Keys that were pressed before the question do not count, nor does what follows the first one.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, where the signal raises it.
    """
    fd = sys.stdin.fileno()
    try:
        print(question, end="", file=stream, flush=True)
        with _single_keys(fd):
            ready, _, _ = select.select([fd], [], [], seconds)
            key = os.read(fd, 1).decode("latin-1").lower() if ready else ""
        print(key if key.isprintable() else "", file=stream, flush=True)
    except KeyboardInterrupt:
        print(file=stream, flush=True)  # what is said next begins a line
        raise
    except (OSError, termios.error):  # the terminal is gone
        return ""
    return key


@contextlib.contextmanager
def _single_keys(fd: int) -> Iterator[None]:
    before = termios.tcgetattr(fd)
    tty.setcbreak(fd, termios.TCSAFLUSH)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSAFLUSH, before)
