"""Input files, read at any place and with patience."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import BinaryIO, Protocol, runtime_checkable

from xlearning.errors import StorageError
from xlearning.fs.base import FileSystem
from xlearning.fs.registry import FileSystems
from xlearning.fs.retry import keep_trying


@runtime_checkable
class _Anywhere(Protocol):
    """A raw file that is read at any place."""

    def pread(self, offset: int, length: int) -> bytes: ...


class Source:
    """A file as it was when it was listed: what was appended later is not read.

    Parameters
    ----------
    uri : str
        Full URI.
    size : int
        Bytes, as listed.
    retry_time : float
        Seconds to go on while the file system is away.
    cancel : threading.Event, optional
        Ends the waiting.

    Attributes
    ----------
    position : int
        Offset of the last read.
    """

    def __init__(
        self,
        fs: FileSystem,
        uri: str,
        size: int,
        *,
        retry_time: float = 120.0,
        cancel: threading.Event | None = None,
    ) -> None:
        self.uri = uri
        self.size = size
        self.position = 0
        self._fs = fs
        self._retry_time = retry_time
        self._cancel = cancel
        self._file: BinaryIO | None = None

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read(self, position: int, length: int) -> bytes:
        """``length`` bytes from ``position`` on; fewer only where the file ends.

        Raises
        ------
        OSError, xlearning.errors.StorageError
            The file cannot be read, or is shorter than it was.
        xlearning.fs.retry.Cancelled
            ``cancel`` was set.
        """
        wanted = min(length, self.size - position)
        if wanted <= 0:
            return b""
        self.position = position
        return keep_trying(
            lambda: self._read(position, wanted), retry_time=self._retry_time, cancel=self._cancel
        )

    def close(self) -> None:
        """Close the file; a later read opens it again."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _read(self, position: int, wanted: int) -> bytes:
        try:
            if self._file is None:
                self._file = self._fs.open_read(self.uri)
            raw = getattr(self._file, "raw", None)
            if isinstance(raw, _Anywhere):  # spares a copy
                data = raw.pread(position, wanted)
            else:
                self._file.seek(position)
                data = self._file.read(wanted)
        except OSError:
            self.close()
            raise
        if len(data) < wanted:
            raise StorageError(
                f"changed while the job ran: {self.size} bytes when it was listed, "
                f"{position + len(data)} bytes now"
            )
        return data


class Files:
    """The input files of a job, for whoever reads them. One thread's own.

    Parameters
    ----------
    retry_time, cancel
        See `Source`.
    """

    def __init__(
        self, fss: FileSystems, *, retry_time: float = 120.0, cancel: threading.Event | None = None
    ) -> None:
        self._fss, self._retry_time, self._cancel = fss, retry_time, cancel
        self._last: Source | None = None

    @property
    def place(self) -> str:
        """Where the last read was, in words; empty before the first one."""
        return f"{self._last.uri} at byte {self._last.position}" if self._last is not None else ""

    def whole(self, uri: str) -> bytes:
        """All bytes of a small file as it is now.

        Raises
        ------
        OSError, UsageError, StorageError
            See `open` and `Source.read`.
        """
        size = self._fss.of(uri).stat(uri).size
        with self.open(uri, size) as source:
            return source.read(0, size)

    def open(self, uri: str, size: int) -> Source:
        """The file ``uri``, which had ``size`` bytes when it was listed; close it, or use it in ``with``.

        Raises
        ------
        UsageError, StorageError
            See `xlearning.fs.registry.FileSystems.of`.
        """
        self._last = Source(self._fss.of(uri), uri, size, retry_time=self._retry_time, cancel=self._cancel)
        return self._last
