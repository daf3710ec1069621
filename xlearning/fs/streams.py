"""Python streams over what libraries of file systems give: a range of bytes, a place for bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol

from xlearning.errors import StorageError

CHUNK = 1 << 20  # bytes per call


class RangeReader(io.RawIOBase):
    """A seekable raw stream over functions that read a range.

    Where a range costs a connection, a reader that goes from front to back is given one long range.

    Parameters
    ----------
    read_range : callable
        ``(offset, length) -> bytes``; never asked for bytes beyond ``size``.
    size : int
        Bytes in the file.
    chunk : int
        Most bytes that are asked for at a time.
    read_on : callable, optional
        ``offset -> (length -> bytes)``: everything from an offset on, piece by piece; pieces may be somewhat
        longer than asked for, and are shorter only at the end.
    """

    def __init__(
        self,
        read_range: Callable[[int, int], bytes],
        size: int,
        chunk: int = CHUNK,
        *,
        read_on: Callable[[int], Callable[[int], bytes]] | None = None,
    ) -> None:
        super().__init__()
        self._read_range, self._read_on = read_range, read_on
        self._size = size
        self._chunk = chunk
        self._position = 0
        self._last = -1  # end of the last read
        self._more: Callable[[int], bytes] | None = None
        self._rest = b""  # what was read beyond it

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError(f"negative seek position {start + offset}")
        self._position = start + offset
        return self._position

    def pread(self, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset`` on, fewer where the file ends; the position stays."""
        wanted = min(length, self._size - offset)
        if wanted <= 0:
            return b""
        if offset != self._last or self._read_on is None:
            self._more, self._rest = None, b""
            data = self._read_range(offset, wanted)
        else:
            data = self._read_further(wanted, self._read_on)
        self._last = offset + len(data)
        return data

    def _read_further(self, wanted: int, read_on: Callable[[int], Callable[[int], bytes]]) -> bytes:
        more = self._more or read_on(self._last)
        rest, self._more, self._rest = self._rest, None, b""  # gone if the next line fails
        data = rest + more(wanted - len(rest)) if len(rest) < wanted else rest
        self._more, self._rest = more, data[wanted:]
        return data[:wanted]

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self._next(len(view))
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        parts = []
        while part := self._next(self._chunk):
            parts.append(part)
        return b"".join(parts)

    def _next(self, limit: int) -> bytes:
        wanted = min(limit, self._chunk, self._size - self._position)
        if wanted <= 0:
            return b""
        data = self.pread(self._position, wanted)
        self._position += len(data)
        return data


class Sink(Protocol):
    """Where a `WholeWriter` puts its bytes."""

    def write(self, data: bytes) -> None:
        """Take all of ``data``."""

    def close(self) -> None:
        """Complete the file."""

    def abort(self) -> None:
        """Drop what was written, if it can be dropped; the file is not completed. Raises nothing."""


class WholeWriter(io.BufferedIOBase):
    """A buffered stream whose file is completed by a `close` without errors, and by nothing else."""

    def __init__(self, sink: Sink, name: str) -> None:
        super().__init__()
        self._sink = sink
        self._buffer = bytearray()
        self._written = 0
        self._broken = False
        self.name = name

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._written

    def write(self, data: Any) -> int:
        if self.closed:
            raise ValueError("write to closed file")
        view = memoryview(data).cast("B")
        for start in range(0, len(view), CHUNK):
            self._buffer += view[start : start + CHUNK]
            if len(self._buffer) >= CHUNK:
                self._push()
        self._written += len(view)
        return len(view)

    def flush(self) -> None:
        """Hand what is buffered on. Readers see it after `close` only."""
        if not self.closed:
            self._push()

    def close(self) -> None:
        """Complete the file.

        Raises
        ------
        StorageError
            The file is not complete, now or since an earlier write failed.
        """
        if self.closed:
            return
        try:
            self._push()
            self._sink.close()
        except BaseException:
            self._abandon()
            raise
        self._end()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._abandon()

    def __del__(self) -> None:
        if not self.closed:
            warnings.warn(f"{self.name} was never closed and is not complete", ResourceWarning, stacklevel=2)
            self._abandon()

    def _push(self) -> None:
        if self._broken:
            raise StorageError(f"{self.name} is not complete: an earlier write failed")
        if not self._buffer:
            return
        data = bytes(self._buffer)
        self._buffer.clear()
        self._broken = True
        self._sink.write(data)
        self._broken = False

    def _abandon(self) -> None:
        """Close this object without completing the file."""
        self._sink.abort()
        self._end()

    def _end(self) -> None:
        self._buffer.clear()
        self._broken = False
        super().close()
