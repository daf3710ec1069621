"""Logs of applications that have ended, from where YARN gathers them: by Hadoop's own ``yarn logs``.

The formats of that place differ between versions of Hadoop, so its own reader is asked.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from xlearning.cluster.log_parts import parts
from xlearning.errors import ClusterError, ClusterUnavailable

_PATIENCE = 60.0  # seconds until ``yarn logs`` hands out the first file
_NOTHING = ("Can not find", "has not completed or is not enabled", "does not exist")


class AggregatedLogs:
    """Logs of one application, brought to a temporary folder of this machine. Close it in the end.

    Parameters
    ----------
    owner : str
        The application's user.
    """

    def __init__(self, app_id: str, owner: str) -> None:
        self._app_id, self._owner = app_id, owner
        self._folder = tempfile.TemporaryDirectory(prefix="xlearning-logs-")

    def fetch(self, containers: Sequence[str], files: Sequence[str]) -> bool:
        """Bring logs here; whether there were any.

        Parameters
        ----------
        containers : sequence of str
            Their ids; with one, only its logs are read, else those of the whole application.
        files : sequence of str
            Names; all when it is empty.

        Raises
        ------
        ClusterUnavailable
            ``yarn logs`` does not answer.
        ClusterError
            It is not there, or fails.
        """
        words = ["yarn", "logs", "-applicationId", self._app_id, "-appOwner", self._owner]
        words += ["-containerId", containers[0]] if len(containers) == 1 else []
        words += ["-log_files", *files] if files else []
        if shutil.which("yarn") is None:
            raise ClusterError(
                "the program yarn, which reads the logs of jobs that have ended, is not there",
                hint="put Hadoop's yarn on PATH",
            )
        with tempfile.TemporaryFile() as said:
            found, code = self._run(words, said)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
        if code and not found and not any(words in text for words in _NOTHING):
            raise ClusterError(f"yarn logs failed: {_last_line(text)}")
        return found

    def _run(self, words: Sequence[str], said: IO[bytes]) -> tuple[bool, int]:
        """Whether anything came, and the exit code. The process gets some time until the first byte."""
        late = threading.Event()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said)

        def give_up() -> None:
            late.set()
            process.kill()

        guard = threading.Timer(_PATIENCE, give_up)
        guard.daemon = True
        guard.start()
        try:
            assert process.stdout is not None
            with process.stdout as stream:
                found = self._spool(stream, guard)
            code = process.wait()
        finally:
            guard.cancel()
            guard.join()
            if process.poll() is None:
                process.kill()
                process.wait()
        if late.is_set():
            raise ClusterUnavailable(f"yarn logs did not answer within {_PATIENCE:g} s")
        return found, code

    def sizes(self, container_id: str) -> Mapping[str, int]:
        """Name -> bytes of what was fetched of a container."""
        folder = Path(self._folder.name) / container_id
        return {p.name: p.stat().st_size for p in sorted(folder.iterdir())} if folder.is_dir() else {}

    def read(self, container_id: str, name: str, start: int) -> Iterator[bytes]:
        """A log that was fetched."""
        with open(Path(self._folder.name) / container_id / name, "rb") as file:
            file.seek(start)
            while data := file.read(1 << 16):
                yield data

    def close(self) -> None:
        """Delete what was fetched."""
        self._folder.cleanup()

    def _spool(self, stream: IO[bytes], guard: threading.Timer) -> bool:
        found = False
        for part in parts(stream):
            guard.cancel()  # it works: from here on the amount of bytes is what takes time
            if "/" in part.name + part.container_id or part.name in ("", ".", ".."):
                continue
            folder = Path(self._folder.name) / (part.container_id or "unknown")
            folder.mkdir(exist_ok=True)
            found = True
            with open(folder / part.name, "wb") as file:
                for chunk in part.chunks():
                    file.write(chunk)
        return found


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"
