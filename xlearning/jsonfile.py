"""Reads JSON that somebody else may have written: regular files only, bounded in size and depth.

Whatever is wrong with it is a `ValueError`, so that a reader has one thing to allow for. Standard
library only: the local supervisor uses it too.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from xlearning.errors import StorageError

TYPE_CHECKING = False  # as in typing, whose import costs more than the rest of this module
if TYPE_CHECKING:
    from typing import Any, BinaryIO, Protocol, TypeVar

    T = TypeVar("T")

    class Opening(Protocol):
        """What is needed of a file system."""

        def open_read(self, path: str) -> BinaryIO:
            """A reader."""


LIMIT = 16 * 2**20  # bytes
_DEEPEST = 100  # lists and objects in each other; ours are some ten deep


def parse(text: bytes | str) -> Any:
    """The value that ``text`` is.

    Raises
    ------
    ValueError
        It is no JSON, or nested deeper than 100.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    _check_depth(value)
    return value


def record(kind: type[T], text: bytes | str) -> T:
    """The record that ``text`` is, see `xlearning.job.from_dict`.

    Raises
    ------
    ValueError
        It is no JSON, or no such record.
    """
    return build(kind, parse(text))


def build(kind: type[T], value: Any) -> T:
    """The record that a value is made of.

    Raises
    ------
    ValueError
        It is no such record.
    """
    from xlearning.job import from_dict

    try:
        return from_dict(kind, value)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"it is no {kind.__name__}: {error}") from error


def content(fs: Opening, path: str, limit: int = LIMIT) -> bytes:
    """All bytes of a small file.

    Raises
    ------
    ValueError
        It is larger than ``limit`` bytes.
    OSError
        It is not there, cannot be read, or is no regular file.
    """
    with fs.open_read(path) as file:
        return _bounded(file, path, limit)


def read(fs: Opening, path: str) -> Any:
    """The value of a JSON file.

    Raises
    ------
    ValueError
        It is too large, no JSON, or nested too deep.
    OSError
        It is not there, cannot be read, or is no regular file.
    """
    return parse(content(fs, path))


def read_record(fs: Opening, path: str, kind: type[T]) -> T:
    """The record in a JSON file; errors are those of `read` and `record`."""
    return record(kind, content(fs, path))


def read_local(path: Path) -> Any:
    """The value of a JSON file of this machine; errors are those of `read`."""
    # a pipe that nobody writes to would hold up its reader for ever
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb", closefd=True) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise StorageError(f"{path} is not a file")
        return parse(_bounded(file, str(path), LIMIT))


def _bounded(file: BinaryIO, path: str, limit: int) -> bytes:
    data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{path} has more than {limit} bytes")
    return data


def _check_depth(value: Any) -> None:
    layer = [value]
    for _ in range(_DEEPEST):
        layer = [inner for one in layer for inner in _inside(one) if isinstance(inner, (dict, list))]
        if not layer:
            return
    raise ValueError(f"it is nested deeper than {_DEEPEST}")


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
