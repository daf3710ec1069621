"""Telling the program that a save begins, and waiting until it says that its files are whole.

The request is a file that holds the save's id and appears by a rename. The answer is a file that holds the
same id: an answer to an earlier save, or one that is half written, is none. The request goes when the
files have been copied, so a program may also leave them alone until then.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from xlearning.config import Config
from xlearning.errors import StorageError
from xlearning.fs.retry import Cancelled

_FOLDER, _REQUEST, _READY = ".xlearning-save", "request", "ready"
_LOOK = 0.05  # seconds
_LONGEST_ANSWER = 256  # bytes
_WAIT = "xlearning.interresult.notify.wait"


def variables(work: Path, config: Config) -> Mapping[str, str]:
    """What the program is told about saves; nothing where it is not asked."""
    if config.get("xlearning.interresult.notify") == "NONE":
        return {}
    folder = work / _FOLDER
    return {"XLEARNING_SAVE_REQUEST": str(folder / _REQUEST), "XLEARNING_SAVE_READY": str(folder / _READY)}


class Hold:
    """One save's conversation with the program.

    Parameters
    ----------
    work : Path
        The container's working folder.
    find_pid : callable
        Id of the program's process; None while there is none.
    """

    def __init__(self, work: Path, save_id: str, config: Config, find_pid: Callable[[], int | None]) -> None:
        self._folder, self._id, self._find_pid = work / _FOLDER, save_id, find_pid
        self._how: str = config.get("xlearning.interresult.notify")
        self._wait: float = config.get(_WAIT)
        self._signal = signal.Signals[f"SIG{config.get('xlearning.interresult.notify.signal')}"]
        self._signalled = False

    def ask(self, cancel: threading.Event) -> bool | None:
        """Tell the program and wait for its answer. Blocks.

        Returns
        -------
        bool or None
            Whether the program has confirmed that its files are whole; None when it is not asked.

        Raises
        ------
        Cancelled
            ``cancel`` was set.
        OSError
            The request cannot be written.
        """
        if self._how == "NONE":
            return None
        self._folder.mkdir(exist_ok=True)
        draft = self._folder / f"{_REQUEST}.tmp"
        draft.write_text(f"{self._id}\n")
        draft.replace(self._folder / _REQUEST)
        until = time.monotonic() + self._wait
        while True:
            self._send_signal()
            if self._answered():
                return True
            if time.monotonic() >= until:
                return False
            if cancel.wait(_LOOK):
                raise Cancelled("cancelled")

    def release(self) -> None:
        """Take the request away: the files have been copied, or will not be."""
        request = self._folder / _REQUEST
        with contextlib.suppress(FileNotFoundError):
            if self._how != "NONE" and request.read_text() == f"{self._id}\n":
                request.unlink()

    def refusal(self) -> StorageError:
        """Why a save without a confirmation is none."""
        why = f"the program did not confirm that its files are whole within {self._wait:g} s ({_WAIT})"
        if self._how == "SIGNAL" and not self._signalled:
            why += f"; it handles no {self._signal.name}, so it was not sent"
        return StorageError(why)

    @property
    def must_confirm(self) -> bool:
        """Whether files that the program has not confirmed must not pass as saved."""
        return self._how != "NONE" and self._wait > 0

    def _answered(self) -> bool:
        try:
            with open(self._folder / _READY, "rb") as file:
                return file.read(_LONGEST_ANSWER).strip() == self._id.encode()
        except FileNotFoundError:
            return False

    def _send_signal(self) -> None:
        """Once, and only to a program that handles it: the signal would end any other."""
        pid = self._find_pid()
        if self._how != "SIGNAL" or self._signalled or pid is None or not _handles(pid, self._signal):
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, self._signal)
            self._signalled = True


def _handles(pid: int, number: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")), "0")
    return bool(int(caught, 16) >> (number - 1) & 1)
