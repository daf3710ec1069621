"""Logs on their way to standard output: under a heading each, the last lines only, or as they grow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xlearning.client.answers import Bytes
from xlearning.client.verbs.log_choice import AM_ROLE, LogTarget
from xlearning.client.verbs.log_sources import LogSource
from xlearning.errors import ClusterUnavailable

_OF_AM = ("am.", "application.")  # names of its logs on this machine, on YARN
_GUESS = 1 << 20  # bytes from the end in which the last lines are looked for first


@dataclass(frozen=True)
class LogFile:
    """One file of one container."""

    target: LogTarget
    name: str

    @property
    def title(self) -> str:
        """As it is named above its lines."""
        return f"==> {self.target.title} {self.name} <=="


class LogReader:
    """What is new in logs, each time one is read.

    Parameters
    ----------
    tail : int, optional
        How many of the last lines are read at first; all by default.
    """

    def __init__(self, source: LogSource, tail: int | None) -> None:
        self._source, self._tail = source, tail
        self._seen: dict[tuple[str, str], int] = {}

    def read(self, file: LogFile, size: int) -> Iterator[bytes]:
        """What is new in a file that has ``size`` bytes now; at first one piece at least, be it empty."""
        key = (file.target.id, file.name)
        if key in self._seen:
            if size > self._seen[key]:
                yield from self._counted(file, self._seen[key])
            return
        self._seen[key] = 0
        if self._tail is None:
            yield b""
            yield from self._counted(file, 0)
        else:
            yield self._last_lines(file, size, self._tail)

    def _last_lines(self, file: LogFile, size: int, count: int) -> bytes:
        start = max(0, size - _GUESS)
        text, read = last_lines(self._source.read(file.target, file.name, start), count, whole=start == 0)
        if text is None:
            start = 0
            text, read = last_lines(self._source.read(file.target, file.name, 0), count, whole=True)
        self._seen[(file.target.id, file.name)] = start + read
        return text or b""

    def _counted(self, file: LogFile, start: int) -> Iterator[bytes]:
        for chunk in self._source.read(file.target, file.name, start):
            self._seen[(file.target.id, file.name)] += len(chunk)
            yield chunk


class LogPrinter:
    """Writes pieces of logs, each under the heading of its file once there are several."""

    def __init__(self, out: Bytes) -> None:
        self._out = out
        self._headings = False
        self._under: LogFile | None = None
        self._last = b"\n"

    def write(self, file: LogFile, data: bytes, *, several: bool) -> None:
        """Write a piece. ``several``: whether the file is one of several."""
        self._headings = self._headings or several
        if self._headings and self._under != file:
            before = b"" if self._under is None else b"\n"
            if not self._last.endswith(b"\n"):
                before += b"\n"
            self._out.write(before + file.title.encode("utf-8", "backslashreplace") + b"\n")
            self._last = b"\n"
        self._under = file
        self._out.write(data)
        self._last = data[-1:] or self._last


def last_lines(chunks: Iterator[bytes], count: int, *, whole: bool) -> tuple[bytes | None, int]:
    """``(the last lines, bytes read)``; None where they begin before what is read, if that is not the whole.

    Memory is that of the lines which are kept.
    """
    kept, read, cut = bytearray(), 0, not whole
    for chunk in chunks:
        read += len(chunk)
        kept += chunk
        if len(kept) > 2 * _GUESS:
            at = _start(kept, count)
            cut = cut and at == 0
            del kept[:at]
    at = _start(kept, count)
    if at == 0 and cut and count:
        return None, read
    return bytes(kept[at:]) if count else b"", read


def _start(text: bytes | bytearray, count: int) -> int:
    """Where the last ``count`` lines begin; 0 where there are no more than that."""
    at = len(text) - 1 if text.endswith(b"\n") else len(text)
    for _ in range(count):
        at = text.rfind(b"\n", 0, max(at, 0))
        if at < 0:
            return 0
    return at + 1


def wanted_files(
    source: LogSource, targets: Sequence[LogTarget], names: Sequence[str], usual: Sequence[str]
) -> tuple[list[tuple[LogFile, int]], list[str]]:
    """Files to show with their sizes, and a sentence for each container that lacks something.

    Parameters
    ----------
    names : sequence of str
        As asked for.
    usual : sequence of str
        What is shown when nothing is asked for; of an ApplicationMaster its own files.
    """
    found: list[tuple[LogFile, int]] = []
    lacking: list[str] = []
    for target in targets:
        try:
            sizes = source.sizes(target)
        except ClusterUnavailable as error:
            lacking.append(f"{target.title}: {error.message}")
            continue
        chosen = [name for name in (names or usual) if name in sizes]
        if not chosen and not names and target.role == AM_ROLE:
            chosen = [name for name in sorted(sizes) if name.startswith(_OF_AM)]
        found += [(LogFile(target, name), sizes[name]) for name in chosen]
        missing = [name for name in names if name not in sizes] if names or chosen else usual
        if missing:
            has = f"; it has {', '.join(sorted(sizes))}" if sizes else " (yet)"
            lacking.append(f"{target.title} has no {' or '.join(missing)}{has}")
    return found, lacking
