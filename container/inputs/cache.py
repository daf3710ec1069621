"""What the first epoch has fed, kept on the container's disk for the later ones."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
from collections.abc import Iterator
from pathlib import Path

log = logging.getLogger(__name__)

_PIECE = 1 << 20  # bytes


class EpochCache:
    """A file with the bytes of every split, so that they can be fed again in any order.

    A cache that gets too large, or for which the disk has no room, is given up with a warning: the later
    epochs are then read like the first one.

    Parameters
    ----------
    path : Path
        Its file. There is no cache if something has that name already: it is the user's.
    limit : int
        Largest size in bytes.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path, self._limit = path, limit
        self._size = 0
        self._ranges: dict[int, tuple[int, int]] = {}
        self._file = -1
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            self._give_up(f"{path.name}: {error.strerror or error}")

    def kept(self, number: int, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces of split ``number``, each written to the file before it is handed on."""
        start = self._size
        for piece in pieces:
            if self._file >= 0:
                self._keep(piece)
            yield piece
        self._ranges[number] = (start, self._size)

    def has(self, number: int) -> bool:
        """Whether all of split ``number`` is there."""
        return self._file >= 0 and number in self._ranges

    def feed(self, number: int, pipe: int) -> Iterator[int]:
        """Write split ``number`` into a pipe; gives how many bytes went into it each time.

        Raises
        ------
        BrokenPipeError
            Nobody reads the pipe.
        OSError
            The file cannot be read, or has become shorter.
        """
        position, end = self._ranges[number]
        while position < end:
            sent = self._send(pipe, position, end - position)
            if sent == 0:
                raise OSError(errno.EIO, "has become shorter", str(self._path))
            position += sent
            yield sent

    def close(self) -> None:
        """Remove the file."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)
            with contextlib.suppress(FileNotFoundError):
                self._path.unlink()

    def _keep(self, piece: bytes) -> None:
        if self._size + len(piece) > self._limit:
            self._give_up(f"the input is larger than {self._limit >> 20} MB")
            return
        try:
            left = memoryview(piece)
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            self._give_up(error.strerror or str(error))
            return
        self._size += len(piece)

    def _give_up(self, reason: str) -> None:
        log.warning("no cache for the later epochs, they are read like the first one: %s", reason)
        self.close()

    def _send(self, pipe: int, position: int, count: int) -> int:
        try:
            return os.sendfile(pipe, self._file, position, count)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOSYS):
                raise
            return os.write(pipe, os.pread(self._file, min(count, _PIECE), position))
