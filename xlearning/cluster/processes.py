"""Processes as /proc shows them: identity, trees, and how to end a tree so that nothing slips away.

Standard library only: the local supervisor, which must stay small, uses it too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")

# One line of the process table. `start` is in clock ticks since boot, `rss` in bytes.
Process = namedtuple("Process", "pid parent group session terminal state start rss")

# Picks the processes meant out of a table; called again and again while they are being ended.
Find = Callable[[Mapping[int, Process]], set[int]]

_FREEZE_ROUNDS = 50
_QUIET_ROUNDS = 3  # looks that find nothing new; what forks all the time can slip through one of them
_DEATH_PATIENCE = 5.0  # seconds after KILL; what hangs in the kernel for longer is left
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
        int(fields[4]),
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


def descendants(roots: Iterable[int], processes: Mapping[int, Process]) -> set[int]:
    """Pids of everything below ``roots``, without the roots themselves."""
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


def tree(root: int, processes: Mapping[int, Process]) -> set[int]:
    """``root``, everything below it, and everything in its process group or session."""
    roots = {p.pid for p in processes.values() if root in (p.pid, p.group, p.session)}
    return roots | descendants(roots, processes)


def marked(
    processes: Mapping[int, Process], markers: Iterable[str], inside: Callable[[str], bool] | None = None
) -> set[int]:
    """Pids of our own processes with a marker in their environment, or without a terminal in our folders.

    Parameters
    ----------
    markers : iterable of str
        Beginnings of ``NAME=value``.
    inside : callable, optional
        Whether a working folder is one of ours. Processes of a terminal do not count: a user may look
        around there.
    """
    wanted = tuple(marker.encode() for marker in markers)
    found = set()
    for pid in processes.keys() - {os.getpid()}:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                hit = any(item.startswith(wanted) for item in file.read().split(b"\0"))
            if not hit and inside is not None and not processes[pid].terminal:
                hit = inside(str(Path(f"/proc/{pid}/cwd").readlink()))
        except OSError:
            continue  # it has ended, or belongs to somebody else
        if hit:
            found.add(pid)
    return found


def send(pids: Iterable[int], number: int) -> None:
    """Signal each process; those that have ended or belong to others are passed over."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill(find: Find) -> None:
    """KILL everything that ``find`` names, however fast it forks.

    All are stopped first, and looked for again until no new one appears: a stopped process cannot fork.
    """
    frozen: set[int] = set()
    groups: set[int] = set()
    quiet = 0
    for _ in range(_FREEZE_ROUNDS):
        processes = table()
        new = find(processes) - frozen
        quiet = 0 if new else quiet + 1
        if quiet == _QUIET_ROUNDS:
            break
        frozen |= new
        groups |= _whole_groups(frozen, processes)
        _send_groups(groups, signal.SIGSTOP)
        send(new, signal.SIGSTOP)
    _send_groups(groups, signal.SIGKILL)
    send(frozen, signal.SIGKILL)


def end(find: Find, grace: float) -> None:
    """TERM, up to ``grace`` seconds of patience, then `kill`, for everything that ``find`` names."""
    send(find(table()), signal.SIGTERM)
    deadline = time.monotonic() + grace
    while any(find(table()) for _ in range(_QUIET_ROUNDS)) and time.monotonic() < deadline + _DEATH_PATIENCE:
        if time.monotonic() >= deadline:
            kill(find)
        time.sleep(0.05)


def _whole_groups(pids: set[int], processes: Mapping[int, Process]) -> set[int]:
    """Process groups without a member that is not meant: a signal to a group misses nobody who forks."""
    spared = {p.group for p in processes.values() if p.pid not in pids} | {os.getpgrp()}
    return {processes[pid].group for pid in pids if pid in processes} - spared


def _send_groups(groups: Iterable[int], number: int) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


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
