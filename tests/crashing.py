"""File systems of a process that dies at a chosen call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xlearning.fs import FileSystems
from xlearning.fs.base import FileSystem

APP = "application_1_0001"


class Crash(BaseException):
    """The process dies here; nothing may catch it."""


class CrashingFileSystem:
    """Passes every call on, and dies at a chosen one, before or after it took effect."""

    def __init__(self, inner: FileSystem, counter: CrashingStorage) -> None:
        self._inner, self._counter = inner, counter

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._inner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self._counter.count += 1
            chosen = self._counter.count == self._counter.crash_at
            if chosen and not self._counter.after:
                self._counter.strike(f"before {name}{args}")
            try:
                return method(*args, **kwargs)
            finally:
                if chosen and self._counter.after:
                    self._counter.strike(f"after {name}{args}")

        return call


class CrashingStorage(FileSystems):
    """File systems of a process that dies at call number ``crash_at`` (0: never)."""

    def __init__(self, crash_at: int = 0, after: bool = False) -> None:
        super().__init__("file://")
        self.count, self.crash_at, self.after = 0, crash_at, after

    def strike(self, where: str) -> None:
        raise Crash(where)

    def of(self, uri: str) -> FileSystem:
        return CrashingFileSystem(super().of(uri), self)  # type: ignore[return-value]


class OvertakenStorage(CrashingStorage):
    """File systems of a process that stands still at a call, while somebody else does something."""

    def __init__(self, meanwhile: Callable[[], object], stop_at: int) -> None:
        super().__init__(stop_at)
        self._meanwhile = meanwhile

    def strike(self, where: str) -> None:  # noqa: ARG002
        self._meanwhile()
