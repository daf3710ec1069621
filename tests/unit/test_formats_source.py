"""Reading a file that goes away for a while."""

from __future__ import annotations

import io
import threading
from typing import BinaryIO

import pytest

from xlearning.errors import StorageUnavailable
from xlearning.formats.source import Source
from xlearning.fs.retry import Cancelled


class Shaky(io.BytesIO):
    """A file that fails when it is told to."""

    fail = False

    def read(self, size: int | None = -1) -> bytes:
        if self.fail:
            raise StorageUnavailable("away")
        return super().read(size)


class Storage:
    """A file system whose file can be opened again only after some attempts."""

    def __init__(self, data: bytes, refusals: int) -> None:
        self.data, self.refusals = data, refusals
        self.opened: list[Shaky] = []

    def open_read(self, _: str) -> BinaryIO:
        if self.opened and self.refusals:
            self.refusals -= 1
            raise StorageUnavailable("away")
        self.opened.append(Shaky(self.data))
        return self.opened[-1]


def test_it_goes_on_where_it_was() -> None:
    storage = Storage(b"0123456789", refusals=1)
    with Source(storage, "memory", 10) as source:  # type: ignore[arg-type]
        assert source.read(0, 4) == b"0123"
        storage.opened[0].fail = True
        assert source.read(4, 100) == b"456789"
        assert source.read(10, 1) == b""
    assert len(storage.opened) == 2
    assert all(file.closed for file in storage.opened)


def test_patience_ends() -> None:
    storage = Storage(b"0123", refusals=1000)
    with Source(storage, "memory", 4, retry_time=0) as source:  # type: ignore[arg-type]
        assert source.read(0, 1) == b"0"
        storage.opened[0].fail = True
        with pytest.raises(StorageUnavailable):
            source.read(1, 1)
        assert source.position == 1


def test_it_can_be_given_up() -> None:
    cancel = threading.Event()
    with Source(Storage(b"0123", 0), "memory", 4, cancel=cancel) as source:  # type: ignore[arg-type]
        assert source.read(0, 1) == b"0"
        cancel.set()
        with pytest.raises(Cancelled):
            source.read(1, 1)
