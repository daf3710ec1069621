"""The helper process as its parent sees it."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xlearning.errors import UsageError

_HEAD = struct.Struct("<cQ")
_MAIN = "xlearning.formats.java.helper"
_ROOT = str(Path(__file__).parents[3])


class JavaError(UsageError):
    """Java has refused or failed; the message holds its class, words and first frames."""


class Helper:
    """One helper process with a JVM. Not for several threads at once; `close` ends it.

    Parameters
    ----------
    title : str
        What errors begin with.
    place : Path, optional
        Where `folder` is made; the place for temporary files if not given.
    """

    def __init__(self, title: str, place: Path | None = None) -> None:
        self._title = title
        self._folder = tempfile.TemporaryDirectory(prefix=".xl-java-", dir=place)
        code = f"import sys; sys.path.insert(0, {_ROOT!r}); from {_MAIN} import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    @property
    def folder(self) -> Path:
        """A folder that is removed by `close`."""
        return Path(self._folder.name)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def ask(self, **order: Any) -> Any:
        """Send an order, and return the JSON that answers it.

        Raises
        ------
        JavaError
            Java has failed, or the process has ended.
        """
        self._send(order)
        return json.loads(self._receive()[1])

    def give(self, data: bytes) -> None:
        """Have ``data`` written; returns when that is done.

        Raises
        ------
        JavaError
            See `ask`.
        """
        self._send({"do": "write", "size": len(data)}, data)
        self._receive()

    def batches(self, class_: str, data: str) -> Iterator[bytes]:
        """The batches of a split; while one is used the next one is made.

        Raises
        ------
        JavaError
            See `ask`.
        """
        self._send({"do": "read", "class": class_, "data": data})
        while True:
            kind, batch = self._receive()
            if kind == b".":
                return
            self._send({"do": "next"})
            yield batch

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        self._process.wait()
        self._folder.cleanup()

    def _send(self, order: dict[str, Any], data: bytes = b"") -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self._ended() from error

    def _receive(self) -> tuple[bytes, bytes]:
        assert self._process.stdout is not None
        head = self._process.stdout.read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise self._ended()
        kind, length = _HEAD.unpack(head)
        data = self._process.stdout.read(length)
        if len(data) < length:
            raise self._ended()
        if kind == b"E":
            raise JavaError(f"{self._title}: {data.decode('utf-8', 'replace')}")
        return kind, data

    def _ended(self) -> JavaError:
        code = self._process.wait()
        how = f"was killed by signal {-code}" if code < 0 else f"has ended with code {code}"
        return JavaError(f"{self._title}: the Java helper process {how}", hint="the log says more")
