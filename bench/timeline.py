"""One job under measurement: when what happened, in seconds from the start of the client."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from processes import driver_listens

LIMIT = 240.0  # seconds for one job
_LOOK = 0.05  # seconds between two looks at the driver


@dataclass(frozen=True)
class Timeline:
    """Times of one job.

    Attributes
    ----------
    marks : mapping
        Name of a moment -> seconds from the start of the client.
    wall : float
        Seconds until the client has ended.
    """

    marks: Mapping[str, float]
    wall: float

    @property
    def tail(self) -> float:
        """Seconds from the end of the last program to the end of the client."""
        return self.wall - self.marks["last user line"]


def stamps(folder: Path) -> dict[str, float]:
    """What programs left: file name -> seconds since 1970."""
    return {path.name: float(path.read_text()) for path in folder.iterdir() if path.stat().st_size}


def empty(folder: Path) -> Path:
    """The folder, without files."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    return folder


def of_programs(found: Mapping[str, float], begin: float) -> dict[str, float]:
    """First and last line of the users' programs from their stamps."""
    first = [when for name, when in found.items() if name.startswith("first.")]
    last = [when for name, when in found.items() if name.startswith("last.")]
    return {
        "first user line": min(first) - begin,
        "first line of the last program": max(first) - begin,
        "last user line": max(last or first) - begin,
    }


class Client:
    """A client process; its messages are kept with the time when they came."""

    def __init__(self, words: Sequence[str], environ: Mapping[str, str], folder: Path) -> None:
        self.said: list[tuple[float, str]] = []
        self.begin = time.time()
        self._process = subprocess.Popen(
            words,
            env=dict(environ),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.driver_up: float | None = None
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._looker = threading.Thread(target=self._look)
        self._looker.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for line in lines:
                self.said.append((time.time() - self.begin, line.rstrip()))

    def _look(self) -> None:
        while self.driver_up is None and self.running:
            time.sleep(_LOOK)
            if driver_listens(self._process.pid):
                self.driver_up = time.time() - self.begin

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def find(self, words: str) -> tuple[float, str]:
        """The first message with these words."""
        return next(item for item in self.said if words in item[1])

    def end(self, code: int) -> float:
        """Wait for its end; seconds from its start. `RuntimeError` when the exit code is another one."""
        # wait() with a time-out looks every 0.05 s only
        limit = threading.Timer(LIMIT, self._process.kill)
        limit.start()
        found = self._process.wait()
        wall = time.time() - self.begin
        limit.cancel()
        self._join()
        if found != code:
            raise RuntimeError(f"exit code {found} in place of {code}:\n{self._told()}")
        return wall

    def stop(self) -> None:
        """End it because something else went wrong; `RuntimeError` with what it has said."""
        self._process.terminate()
        self._process.wait(LIMIT)
        self._join()
        raise RuntimeError(f"the job was not to be waited for:\n{self._told()}")

    def _join(self) -> None:
        self._reader.join()
        self._looker.join()

    def _told(self) -> str:
        return "\n".join(f"{when:7.2f} {line}" for when, line in self.said)
