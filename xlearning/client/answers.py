"""What a verb answers on standard output: text or JSON, tables, bytes. Nothing in it commands a terminal."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from xlearning.client.console import Console, harmless, silence
from xlearning.client.language.choice import answering
from xlearning.client.language.width import columns, filled
from xlearning.config.confidential import mask

TEXT, JSON = "text", "json"


def tell(text: str, console: Console) -> bool:
    """Write to standard output; False, with a warning, where that fails: no reason to leave a job.

    Passwords in addresses are left out. A reader that has left, as ``head`` does, has what it wanted.
    """
    try:
        print(mask(text), flush=True)
    except BrokenPipeError:
        silence(sys.stdout)
    except OSError as error:
        silence(sys.stdout)
        console.warn(f"standard output cannot be written: {error.strerror}")
        return False
    return True


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under their titles, as wide as their widest cell; the last one as it comes."""
    say = answering()
    lines = [[say(title) for title in head], *([" ".join(cell.split()) for cell in row] for row in rows)]
    widths = [max(columns(line[column]) for line in lines) for column in range(len(head) - 1)]
    return [
        "  ".join(
            [*(filled(cell, width) for cell, width in zip(line, widths, strict=False)), line[-1]]
        ).rstrip()
        for line in lines
    ]


def answer(lines: Sequence[str], console: Console) -> bool:
    """Write lines for a person; False, with a warning, where that fails."""
    encoding = sys.stdout.encoding or "utf-8"
    text = harmless("\n".join(lines)).encode(encoding, "backslashreplace").decode(encoding)
    return tell(text, console)


def answer_json(data: Any, console: Console) -> bool:
    """Write ``data`` for a program; False, with a warning, where that fails.

    Numbers that JSON does not have (NaN, infinite ones) are null.
    """
    return tell(json.dumps(_plain(data), indent=2, allow_nan=False), console)


def _plain(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


class Bytes:
    """Standard output for what is passed on as it is. A reader that has left is no error: `gone` tells."""

    def __init__(self) -> None:
        self.gone = False

    def write(self, data: bytes) -> None:
        """Write, unless the reader has left."""
        if self.gone:
            return
        try:
            sys.stdout.buffer.write(data)
        except BrokenPipeError:
            self._leave()

    def flush(self) -> None:
        """Let the reader have it."""
        if self.gone:
            return
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            self._leave()

    def _leave(self) -> None:
        self.gone = True
        silence(sys.stdout)


def format_moment(seconds: float) -> str:
    """Date and time by this machine's clock; ``?`` for what is none.

    Parameters
    ----------
    seconds : float
        Since 1970.
    """
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return "?"
