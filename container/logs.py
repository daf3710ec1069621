"""Reading the program's log files from outside: progress lines while it runs, last lines at its end.

The program writes into plain files and never notices who reads them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from xlearning.container.loglimit import NOTE

# Read at one look; when the program writes faster, only the newest part is read: progress is a
# level, not a sum, and a log of gigabytes must not cost a core.
_LOOK = 1 << 20
_LONGEST_LINE = 1 << 16

_PROGRESS = re.compile(
    rb"report(?:er)?[ \t:]*progress[ \t]*[:=][ \t]*"
    rb"(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)[ \t]*(%?)(?![\w.])",
    re.IGNORECASE,
)


def parse_progress(line: bytes) -> float | None:
    """Progress (0..1) that a line reports, or None.

    ``reporter progress:0.42`` as the original understood it, ``report:progress:0.42`` as its guide
    said, blanks around the colon, per cent (``42%``), anything before it (time stamps).
    The last report of a line counts; a number outside 0..1 is not a report.
    """
    result = None
    for match in _PROGRESS.finditer(line):
        value = float(match[1]) / (100.0 if match[2] else 1.0)
        if 0.0 <= value <= 1.0:
            result = value
    return result


class ProgressReader:
    """Follows log files and remembers the newest progress line of any of them.

    Parameters
    ----------
    paths : sequence of Path
        Files that may not be there yet.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._tails = [_Tail(path) for path in paths]
        self.progress: float | None = None

    def poll(self, *, final: bool = False) -> float | None:
        """Read what is new; the newest progress so far (0..1), or None when nothing was reported.

        With ``final`` the program has ended: a last line without a line end counts too.
        """
        for tail in self._tails:
            for line in [*tail.lines(), *([tail.rest] if final else [])]:
                value = parse_progress(line)
                self.progress = self.progress if value is None else value
        return self.progress

    def cut(self, paths: Sequence[Path]) -> None:
        """Some of the files were shortened by the size limit."""
        for tail in self._tails:
            if tail.path in paths:
                tail.cut()


class _Tail:
    """New complete lines of one file that mention progress."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0
        self._was_cut = False
        self.rest = b""

    def lines(self) -> list[bytes]:
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            return []
        begin = self._offset
        start = max(begin, size - _LOOK)
        if start >= size:
            return []
        with self.path.open("rb", buffering=0) as file:
            file.seek(start)
            data = file.read(size - start)
        self._offset = start + len(data)
        if self._was_cut:
            # What stands before the note is old and must not count again.
            data = data[data.rfind(NOTE) + 1 :]
        elif start == begin:
            return self._complete(self.rest + data, partial_start=False)
        self._was_cut = False
        return self._complete(data, partial_start=True)

    def cut(self) -> None:
        """The file was shortened by the size limit."""
        self._offset, self.rest, self._was_cut = 0, b"", True

    def _complete(self, data: bytes, *, partial_start: bool) -> list[bytes]:
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        self.rest = data[end:][-_LONGEST_LINE:]
        if b"progress" not in data[:end].lower():
            return []
        lines = re.split(rb"[\r\n]+", data[:end])
        return [line for line in lines[1 if partial_start else 0 :] if b"progress" in line.lower()]


def last_lines(paths: Sequence[Path], count: int = 20, limit: int = 16384) -> list[str]:
    """The last lines of the first file that is not empty.

    Parameters
    ----------
    paths : sequence of Path
        In order of preference: stderr before stdout.
    limit : int
        Bytes read from the end of the file. Bytes that are not UTF-8 are replaced; of a line that
        was overwritten by carriage returns, what a terminal would show last is kept.
    """
    for path in paths:
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                file.seek(max(0, size - limit))
                data = file.read(limit)
        except FileNotFoundError:
            continue
        if data.strip():
            text = data.decode("utf-8", "replace")
            lines = [line.rstrip("\r").rpartition("\r")[2] for line in text.rstrip().split("\n")]
            cut = size > limit and len(lines) > 1
            return lines[1 if cut else 0 :][-count:]
    return []
