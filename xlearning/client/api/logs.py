"""What programs have written, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xlearning.client.console import Console
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.log_output import LogFile
from xlearning.client.verbs.log_reading import Wish, read_logs

_LONGEST = 1 << 20  # bytes; a longer line comes in parts


@dataclass(frozen=True)
class LogLine:
    """One line of a log.

    Attributes
    ----------
    text : str
        Without its line end; bytes that are not UTF-8 are replaced.
    role : str
        ``worker``, ``ps``, ... or ``am``; empty where only YARN knows the container.
    index : int or None
        Number within the role; None until the container has been given one, and for the ApplicationMaster.
    container : str
        Id of the container.
    file : str
        ``stdout``, ``stderr``, ...
    """

    text: str
    role: str
    index: int | None
    container: str
    file: str

    def __str__(self) -> str:
        return self.text


def log_lines(found: Found, wish: Wish, console: Console) -> Iterator[LogLine]:
    """Lines as they are read; an unfinished one comes when nothing can follow it any more.

    Raises
    ------
    xlearning.errors.XLearningError
        There are none, or they cannot be read.
    """
    begun: dict[LogFile, bytes] = {}
    for piece in read_logs(found, wish, console):
        if piece is None:
            continue
        if not wish.follow and piece.file not in begun:
            yield from _rest(begun)  # its file does not grow while others are read
        *whole, rest = (begun.pop(piece.file, b"") + piece.data).split(b"\n")
        yield from (_line(piece.file, line) for line in whole)
        if len(rest) > _LONGEST:
            yield _line(piece.file, rest)
        elif rest:
            begun[piece.file] = rest
    yield from _rest(begun)


def _rest(begun: dict[LogFile, bytes]) -> Iterator[LogLine]:
    while begun:
        yield _line(*begun.popitem())


def _line(file: LogFile, data: bytes) -> LogLine:
    target = file.target
    return LogLine(data.decode("utf-8", "replace"), target.role, target.index, target.id, file.name)
