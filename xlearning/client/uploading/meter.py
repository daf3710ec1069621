"""How far an upload is: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from xlearning.units import format_bytes

if TYPE_CHECKING:
    import rich.console


class Meter(Protocol):
    """Counts bytes and files on their way. Called from several threads."""

    def advance(self, size: int) -> None:
        """So many bytes more were sent."""

    def done(self) -> None:
        """One file more is there."""

    def __enter__(self) -> Meter:
        """Begin to show it."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear it away."""


def announcement(files: int, size: int) -> str:
    """What will be uploaded, for those who see no bar."""
    return f"Uploading {files} file{'' if files == 1 else 's'}, {format_bytes(size)}"


class Unseen:
    """A `Meter` that shows nothing."""

    def advance(self, size: int) -> None:
        """See `Meter`."""

    def done(self) -> None:
        """See `Meter`."""

    def __enter__(self) -> Meter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class Bar:
    """A `Meter` on a terminal: files, bytes, rate and the time that is left.

    Parameters
    ----------
    console : rich.console.Console
    files, size : int
        How many, and their bytes.
    """

    def __init__(self, console: rich.console.Console, files: int, size: int) -> None:
        from rich import progress

        self._files, self._sent = files, 0
        self._lock = threading.Lock()
        self._progress: Any = progress.Progress(
            progress.TextColumn("Uploading {task.description}"),
            progress.BarColumn(),
            progress.DownloadColumn(binary_units=True),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task(self._words(), total=size)

    def advance(self, size: int) -> None:
        """See `Meter`."""
        self._progress.advance(self._task, size)

    def done(self) -> None:
        """See `Meter`."""
        with self._lock:
            self._sent += 1
            self._progress.update(self._task, description=self._words())

    def __enter__(self) -> Meter:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def _words(self) -> str:
        return f"{self._sent} of {self._files} file" + ("" if self._files == 1 else "s")
