"""Pieces of the log files of a folder, for whoever reads them from outside while they grow."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from xlearning.cluster.base import LogChunk

LIMIT = 1 << 20  # bytes of one piece


def log_files(folder: Path) -> dict[str, int]:
    """Names and sizes (bytes) of the files; links and folders do not count."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        return {e.name: e.stat().st_size for e in entries if e.is_file(follow_symlinks=False)}
    except FileNotFoundError:  # also of a file that goes meanwhile; the next look shows the others
        return {}


def read_piece(folder: Path, name: str, offset: int, limit: int) -> LogChunk:
    """Up to ``limit`` bytes (1 MiB at most) of one of `log_files` from ``offset``.

    A character that is only half written yet is left for the next call, so ``next_offset`` may
    stay where it was.

    Raises
    ------
    FileNotFoundError
        It is none of them.
    """
    if name not in log_files(folder):
        raise FileNotFoundError(f"no log file {name!r}")
    with open(os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(f"no log file {name!r}")
        offset = min(max(0, offset), status.st_size)
        file.seek(offset)
        data = file.read(min(max(limit, 4), LIMIT))
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(data)
    unfinished = len(decoder.getstate()[0])
    return LogChunk(text, offset, offset + len(data) - unfinished, status.st_size)
