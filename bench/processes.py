"""Looking at processes of jobs: which they are, when they started, what they take."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

_TICKS = os.sysconf("SC_CLK_TCK")


def started(pid: int) -> float:
    """When a process began, in seconds since 1970 to 0.01 s; psutil only knows the boot time to 1 s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    up = float(Path("/proc/uptime").read_text().split()[0])
    return time.time() - up + int(fields[19]) / _TICKS


def parts(marker: str, part: str) -> list[psutil.Process]:
    """Processes of ours that play ``part`` (am, agent) and have ``marker`` in their folder's name."""
    return [
        process
        for process, words, folder in _all()
        if words[-1:] == [part] and words[-2].endswith("bootstrap.py") and marker in folder
    ]


def skein_jvm(marker: str) -> list[psutil.Process]:
    """skein's ApplicationMaster of an application."""
    return [
        process
        for process, words, folder in _all()
        if "com.anaconda.skein.ApplicationMaster" in words and marker in folder
    ]


def driver_listens(client: int) -> bool:
    """Whether the driver JVM that a client has started is up."""
    for file in Path(f"/proc/{client}/task").glob("*/children"):
        try:
            for process in (psutil.Process(int(word)) for word in file.read_text().split()):
                if "com.anaconda.skein.Driver" in process.cmdline():
                    return any(c.status == psutil.CONN_LISTEN for c in process.net_connections("tcp"))
        except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
            continue
    return False


def _all() -> Iterator[tuple[psutil.Process, list[str], str]]:
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if len(words) > 1:
                yield process, words, process.cwd()
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue


def resident(process: psutil.Process) -> float:
    """Resident memory in MB."""
    return float(process.memory_info().rss) / 1e6


def cpu_seconds(process: psutil.Process) -> float:
    """Processor time that it has used."""
    used = process.cpu_times()
    return float(used.user + used.system)


def wait_for(what: Callable[[], object], seconds: float, message: str = "waited in vain") -> object:
    """The first true answer."""
    deadline = time.monotonic() + seconds
    while not (answer := what()):
        if time.monotonic() > deadline:
            raise RuntimeError(message)
        time.sleep(0.02)
    return answer
