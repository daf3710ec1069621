"""The text in which Hadoop hands out logs: a header for each file, its bytes, a last line.

NodeManagers answer so, and ``yarn logs`` prints so::

    Container: container_1700000000000_0001_01_000002 on node:8041
    LogAggregationType: LOCAL
    ====================================================================
    LogType:stdout
    LogLastModifiedTime:Sun Nov 29 22:26:30 +0000 2026
    LogLength:82
    LogContents:
    ...
    End of LogType:stdout
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

_CHUNK = 1 << 16  # bytes


@dataclass
class LogPart:
    """One file of one container.

    Attributes
    ----------
    size : int
        Bytes of the whole file.
    sent : int
        Bytes that follow: the last ones, where fewer were asked for than there are.
    """

    container_id: str
    name: str
    size: int
    sent: int
    _stream: IO[bytes]

    def __post_init__(self) -> None:
        self._left = self.sent

    def chunks(self) -> Iterator[bytes]:
        """The bytes that were sent."""
        while self._left:
            data = self._stream.read(min(self._left, _CHUNK))
            self._left = self._left - len(data) if data else 0
            if data:
                yield data


def parts(stream: IO[bytes], at_most: int | None = None) -> Iterator[LogPart]:
    """Every file in a stream. The bytes of one must be taken, or are skipped, before the next is asked for.

    Parameters
    ----------
    at_most : int, optional
        How many bytes of a file were asked for; all by default.
    """
    container_id = name = ""
    size = 0
    while line := stream.readline():
        key, _, value = line.decode("utf-8", "replace").rstrip("\r\n").partition(":")
        if key == "Container":
            container_id = value.strip().partition(" ")[0]
        elif key == "LogType":
            name = value.strip()
        elif key == "LogLength":
            size = int(value) if value.strip().isdigit() else 0
        elif key == "LogContents" and name:
            part = LogPart(container_id, name, size, size if at_most is None else min(size, at_most), stream)
            yield part
            for _ in part.chunks():
                pass
            name, size = "", 0
