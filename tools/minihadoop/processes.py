"""Daemon processes by identity: a process id alone may have gone to somebody else's process."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_PROC = Path("/proc")

# The shell ends at once, so that the daemon is nobody's child: it outlives its starter and leaves no zombie.
_DETACH = '"$@" >>"$0" 2>&1 </dev/null & echo $!'


@dataclass(frozen=True)
class Process:
    """One process.

    Parameters
    ----------
    pid : int
        Process id.
    start : int
        When it started, clock ticks after boot.
    """

    pid: int
    start: int

    @property
    def state(self) -> Literal["running", "paused", "dead"]:
        """What this process does; "dead" also where the pid belongs to another process now."""
        found = _stat(self.pid)
        if found is None or found[1] != self.start or found[0] in "ZX":
            return "dead"
        return "paused" if found[0] in "Tt" else "running"

    @property
    def alive(self) -> bool:
        """Whether it exists, running or paused."""
        return self.state != "dead"

    def send(self, number: signal.Signals) -> None:
        """Send a signal if this very process is still there."""
        if self.alive:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return


def identify(pid: int) -> Process | None:
    """The process that has this id now, None if there is none."""
    found = _stat(pid)
    return None if found is None else Process(pid, found[1])


def spawn(command: Sequence[str], log: Path, env: Mapping[str, str]) -> Process | None:
    """Start a daemon in a session of its own, its output appended to a log file.

    Returns
    -------
    Process or None
        None where it ended before it could be looked at.
    """
    started = subprocess.run(
        ["/bin/sh", "-c", _DETACH, str(log), *command],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        start_new_session=True,
    )
    return identify(int(started.stdout))


def end(processes: Collection[Process], *, patience: float) -> None:
    """TERM, then KILL after `patience` seconds; paused ones get their signal too.

    Returns when all are gone; those that even KILL does not end within 10 s (stuck in the kernel) stay.
    """
    for process in processes:
        process.send(signal.SIGTERM)
        process.send(signal.SIGCONT)
    if not wait_dead(processes, patience):
        kill(processes)


def kill(processes: Collection[Process]) -> None:
    """KILL and wait up to 10 s until they are gone."""
    for process in processes:
        process.send(signal.SIGKILL)
    wait_dead(processes, 10.0)


def wait_dead(processes: Iterable[Process], seconds: float) -> bool:
    """Wait until none of them is alive; False where the time ran out first."""
    deadline = time.monotonic() + seconds
    while any(process.alive for process in processes):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.05)
    return True


def pause(processes: Collection[Process]) -> None:
    """STOP and wait, up to 10 s, until no thread of them runs any more."""
    for process in processes:
        process.send(signal.SIGSTOP)
    deadline = time.monotonic() + 10.0
    while any(_moves(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(0.01)


def _moves(process: Process) -> bool:
    """Whether a thread has not seen the STOP yet: they stop one by one, the first one first."""
    folder = _PROC / str(process.pid) / "task"
    try:
        threads = [_stat(int(each.name), folder) for each in folder.iterdir()]
    except FileNotFoundError:
        return False
    return any(found is not None and found[0] not in "Tt" for found in threads)


def find_by_argument(argument: str) -> list[Process]:
    """All processes of this machine that have exactly this argument on their command line."""
    wanted = os.fsencode(argument)
    return _find(lambda folder: wanted in (folder / "cmdline").read_bytes().split(b"\0"))


def find_containers(data: Path) -> list[Process]:
    """All processes that NodeManagers with their folders under `data` started, and their descendants.

    Known by a working directory among those of applications, or by the variables that YARN gives to
    containers and they to their children.
    """
    prefixes = tuple(f"{name}={data}/".encode() for name in ("LOCAL_DIRS", "LOG_DIRS"))

    def inside(folder: Path) -> bool:
        cwd = (folder / "cwd").readlink()
        if cwd.is_relative_to(data) and "usercache" in cwd.relative_to(data).parts:
            return True
        return any(entry.startswith(prefixes) for entry in (folder / "environ").read_bytes().split(b"\0"))

    return _find(inside)


def _find(wanted: Callable[[Path], bool]) -> list[Process]:
    """Processes by a look at their /proc folder; never this one or one of its ancestors."""
    spared = set(_lineage())
    found = []
    for folder in _PROC.glob("[0-9]*"):
        process = identify(int(folder.name))
        if process is None or process.pid in spared or not process.alive:
            continue
        try:
            if wanted(folder):
                found.append(process)
        except OSError:
            continue  # ended meanwhile, or another user's
    return found


def _lineage() -> Iterator[int]:
    pid = os.getpid()
    while pid > 0:
        yield pid
        try:
            pid = int(_fields(pid)[1])
        except OSError:
            return


def _fields(pid: int, within: Path = _PROC) -> list[str]:
    """The fields of /proc/PID/stat from the third (state) on; the second may hold spaces and brackets."""
    return (within / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()


def _stat(pid: int, within: Path = _PROC) -> tuple[str, int] | None:
    try:
        fields = _fields(pid, within)
    except (FileNotFoundError, ProcessLookupError):
        return None
    return fields[0], int(fields[19])
