"""A file that goes to a file system and back, on the gateway and in containers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from xlearning.fs import FileSystem, join

_CONTENT = b"written by xl-submit doctor\n"


@dataclass(frozen=True)
class Trip:
    """How long it took, and how far our clock is ahead of the file system's, both in seconds."""

    seconds: float
    skew: float


def round_trip(fs: FileSystem, folder: str, clock: Callable[[], float] = time.time) -> Trip:
    """Make a folder in ``folder``, write a file, read it, rename it, and delete all again.

    Raises
    ------
    OSError
        One of these went wrong.
    """
    start, own = time.monotonic(), join(folder, f"doctor-{uuid.uuid4().hex}")
    fs.mkdirs(own, mode=0o700)
    try:
        draft, target = join(own, "draft"), join(own, "file")
        before = clock()
        with fs.open_write(draft) as writer:
            writer.write(_CONTENT)
        after = clock()
        fs.rename(draft, target)
        with fs.open_read(target) as reader:
            if reader.read() != _CONTENT:
                raise OSError(f"{target} does not hold what was written to it")
        modified = fs.stat(target).modified
    finally:
        fs.delete(own, recursive=True)
    skew = 0.0 if before - 0.1 <= modified <= after + 0.1 else (before + after) / 2 - modified
    return Trip(time.monotonic() - start, skew)
