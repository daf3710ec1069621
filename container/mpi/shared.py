"""The folder for the shared memory of this container's ranks, which outlives no kill.

Open MPI names what it shares after the host and the rank within its daemon, so the daemons of two
containers on one host would use the same.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from xlearning.container.mpi import talk

PREFIX = "xlearning-mpi-"
MEMORY = "/dev/shm"
# Its input ends with the node, however that ends.
_REMOVE = "trap '' TERM INT HUP; read -r _; rm -rf -- \"$1\""


class SharedMemory:
    """A new folder.

    A process of its own removes it when this one is gone. Where both are killed at once, as a whole
    container is for its memory, the next node of the same user on this host does: nobody holds its lock.

    Attributes
    ----------
    path : str
        The folder.
    """

    def __init__(self, base: str = MEMORY) -> None:
        _sweep(Path(base))
        self.path, self._lock = _folder(base)
        self._remover = subprocess.Popen(
            ("/bin/sh", "-c", _REMOVE, "sh", self.path),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def remove(self) -> None:
        """Remove the folder, whatever it holds."""
        assert self._remover.stdin is not None
        self._remover.stdin.close()
        self._remover.wait()
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _folder(base: str) -> tuple[str, int]:
    """A new folder and what holds its lock."""
    name = f"{PREFIX}{os.environ.get('CONTAINER_ID', '')}-"
    for place in (base, None):
        with contextlib.suppress(OSError):
            while True:
                path = tempfile.mkdtemp(prefix=name, dir=place)
                lock = _locked(path)
                if lock is not None:
                    return path, lock
    return talk.fail(f"no folder for shared memory can be made, neither in {base} nor in TMPDIR")


def _locked(path: str) -> int | None:
    """Lock a folder; None where another one has, or has removed it."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.lexists(path):  # else it was removed between the two lines above
            return lock
    except BlockingIOError:
        pass
    os.close(lock)
    return None


def _sweep(base: Path) -> None:
    """Remove what nodes of this user have left behind that nobody could clean up after."""
    for path in base.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if path.lstat().st_uid == os.getuid() and (lock := _locked(str(path))) is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)
