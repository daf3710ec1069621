"""Processes as /proc shows them: identity, trees, and how to end a tree so that nothing slips away.

Standard library only: the local supervisor, which must stay small, uses it too.
"""

from __future__ import annotations

import os
import signal
import time
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")

# One line of the process table. `start` is in clock ticks since boot, `rss` in bytes.
Process = namedtuple("Process", "pid parent group session state start rss")

_FREEZE_ROUNDS = 50
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def read(pid: int) -> Process | None:
    """The process ``pid``, or None when there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # the name stands in parentheses and may itself hold spaces and parentheses
    fields = text[text.rindex(b")") + 2 :].split()
    return Process(
        pid,
        int(fields[1]),
        int(fields[2]),
        int(fields[3]),
        fields[0].decode(),
        int(fields[19]),
        int(fields[21]) * PAGE,
    )


def table() -> dict[int, Process]:
    """Every process of this machine that is not a zombie, by pid."""
    found = {}
    with os.scandir("/proc") as entries:
        pids = [int(entry.name) for entry in entries if entry.name.isdigit()]
    for pid in pids:
        process = read(pid)
        if process is not None and process.state not in "ZX":
            found[pid] = process
    return found


def identity(pid: int) -> str:
    """Words that no other process shares, not even one with the same pid later; empty when it is gone."""
    process = read(pid)
    if process is None or process.state in "ZX":
        return ""
    with open("/proc/sys/kernel/random/boot_id") as file:
        return f"{pid} {process.start} {file.read().strip()}"


def alive(words: str) -> bool:
    """Whether the process with this `identity` still runs."""
    pid = words.partition(" ")[0]
    return pid.isdigit() and identity(int(pid)) == words


def descendants(roots: Iterable[int], processes: Mapping[int, Process] | None = None) -> set[int]:
    """Pids of everything below ``roots``, without the roots themselves."""
    processes = table() if processes is None else processes
    children: dict[int, list[int]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    left = list(roots)
    while left:
        for child in children.get(left.pop(), ()):
            if child not in found:
                found.add(child)
                left.append(child)
    return found


def tree(root: int, processes: Mapping[int, Process] | None = None) -> set[int]:
    """``root``, everything below it, and everything in its process group or session."""
    processes = table() if processes is None else processes
    roots = {p.pid for p in processes.values() if root in (p.pid, p.group, p.session)}
    return roots | descendants(roots, processes)


def marked(markers: Iterable[str], folder: str = "") -> set[int]:
    """Pids of our own processes whose environment holds one of ``markers`` or that work below ``folder``.

    Parameters
    ----------
    markers : iterable of str
        Beginnings of ``NAME=value``.
    folder : str
        Absolute path without a slash at its end; empty for none.
    """
    wanted = tuple(marker.encode() for marker in markers)
    found = set()
    for pid in table().keys() - {os.getpid()}:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                hit = any(item.startswith(wanted) for item in file.read().split(b"\0"))
            place = str(Path(f"/proc/{pid}/cwd").readlink()) if folder and not hit else ""
        except OSError:
            continue  # it has ended, or belongs to somebody else
        if hit or (folder and (place == folder or place.startswith(folder + "/"))):
            found.add(pid)
    return found


def send(pids: Iterable[int], number: int) -> None:
    """Signal each process; those that have ended or belong to others are passed over."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def kill(find: Callable[[], set[int]]) -> None:
    """KILL everything that ``find`` names, however fast it forks.

    All are stopped first, and looked for again until no new one appears: a stopped process cannot fork.
    """
    frozen: set[int] = set()
    for _ in range(_FREEZE_ROUNDS):
        new = find() - frozen
        if not new:
            break
        send(new, signal.SIGSTOP)
        frozen |= new
    send(frozen, signal.SIGKILL)


def end(find: Callable[[], set[int]], grace: float) -> None:
    """TERM, up to ``grace`` seconds of patience, then `kill`, for everything that ``find`` names."""
    send(find(), signal.SIGTERM)
    deadline = time.monotonic() + grace
    while find():
        if time.monotonic() >= deadline:
            kill(find)
            return
        time.sleep(0.05)


def become_subreaper() -> None:
    """From now on orphans among the descendants of this process become its children."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int, number: int = signal.SIGTERM) -> None:
    """Send this process ``number`` when ``parent`` ends, at once if it has ended already."""
    _prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def _prctl(option: int, value: int) -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def exit_code(status: int) -> int:
    """An exit status as `subprocess` gives it (-n for signal n), as the shell counts it (128 + n)."""
    return 128 - status if status < 0 else status


def exit_words(status: int) -> str:
    """An exit status (-n for signal n) in words that fit after a subject."""
    if status >= 0:
        return f"exited with code {status}"
    try:
        return f"was killed by signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"was killed by signal {-status}"
