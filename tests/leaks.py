"""What a test leaves running: children of this process, and threads that would hold up its end."""

from __future__ import annotations

import threading
import time
from pathlib import Path

_PATIENCE = 10.0  # seconds in which what is on its way out may go
# The cluster's guard lives as long as the test run; it is the session's, not the test's.
_SESSION = ("minihadoop",)


def children() -> dict[int, str]:
    """Pid -> command line of the children of this process, the session's own left out.

    One that has ended counts until somebody asks for its exit status: a `Popen` that nobody asks fails
    whatever test runs when Python drops it.
    """
    found = {}
    for task in Path("/proc/self/task").iterdir():
        try:
            pids = (task / "children").read_text().split()
        except FileNotFoundError:
            continue
        for pid in pids:
            words = _command(pid)
            if not any(name in words for name in _SESSION):
                found[int(pid)] = words
    return found


def _command(pid: str) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return words or f"ended, not asked for its exit status: {Path(f'/proc/{pid}/stat').read_text()}"
    except OSError:
        return "ended a moment ago"


def holding_threads() -> set[str]:
    """Names of the living threads that are no daemons."""
    return {t.name for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()}


def new_since(before_children: set[int], before_threads: set[str]) -> list[str]:
    """What is there now and was not before, after some patience."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        left = [f"process {pid}: {words}" for pid, words in children().items() if pid not in before_children]
        left += [f"thread {name}" for name in sorted(holding_threads() - before_threads)]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)
