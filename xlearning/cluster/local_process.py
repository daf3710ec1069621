"""One container of the local back end: its agent's process, its limits and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from xlearning.cluster import processes
from xlearning.cluster.base import CompletedContainer
from xlearning.cluster.local_files import last_lines

# YARN's ContainerExitStatus
RELEASED = -100
MEMORY_EXCEEDED = -104
KILLED_BY_MASTER = -105

_MB = 1 << 20
_SHOWN_LINES = 20


class ContainerProcess:
    """Starts the agent of a container in its own session, and ends it with all below it.

    Parameters
    ----------
    command, env : sequence of str, mapping
        The agent and its whole environment.
    work, logs : Path
        Its working folder, and where ``agent.out`` and ``agent.err`` go.
    memory_mb : int
        Limit for the resident memory of the whole process tree, in MB; 0 for none.
    """

    def __init__(
        self,
        container_id: str,
        command: Sequence[str],
        work: Path,
        logs: Path,
        env: Mapping[str, str],
        memory_mb: int,
    ) -> None:
        self.id = container_id
        self._logs = logs
        self._limit = memory_mb * _MB
        self._above = False
        self._verdict: tuple[int, str] | None = None
        self._deadline: float | None = None
        with open(logs / "agent.out", "wb") as out, open(logs / "agent.err", "wb") as err:
            self._process = subprocess.Popen(
                command,
                cwd=work,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def poll(self) -> CompletedContainer | None:
        """How it ended, or None while it runs; enforces a `release` whose grace is over."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._deadline = None
            processes.kill(self._tree)
        pid = self._process.pid
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return None
        # not collected yet, so its pid, and with it the number of its group, belongs to nobody else
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        return self._completed(self._process.wait())

    def release(self, grace: float) -> None:
        """TERM now, KILL for the whole tree after ``grace`` seconds."""
        if self._deadline is None and self._verdict is None:
            self._verdict = (RELEASED, "Container released by application")
            self._deadline = time.monotonic() + grace
            processes.send([self._process.pid], signal.SIGTERM)

    def kill(self) -> None:
        """KILL the whole tree."""
        self._verdict = self._verdict or (KILLED_BY_MASTER, "Container killed by the ApplicationMaster")
        processes.kill(self._tree)

    def look_at_memory(self, table: Mapping[int, processes.Process]) -> None:
        """End the container when it is above its limit twice in a row, or above the double once.

        The same rule as YARN's: between fork and exec a program counts twice for a moment.
        """
        used = sum(table[pid].rss for pid in processes.tree(self._process.pid, table))
        above = bool(self._limit) and used > self._limit
        if above and (self._above or used > 2 * self._limit) and self._verdict is None:
            words = f"{used // _MB} MB of {self._limit // _MB} MB physical memory used; killed"
            self._verdict = (MEMORY_EXCEEDED, words)
            processes.kill(self._tree)
        self._above = above

    def _tree(self, table: Mapping[int, processes.Process]) -> set[int]:
        return processes.tree(self._process.pid, table)

    def _completed(self, status: int) -> CompletedContainer:
        if self._verdict is not None:
            return CompletedContainer(self.id, *self._verdict)
        code = processes.exit_code(status)
        if code == 0:
            return CompletedContainer(self.id, code, "")
        lines = last_lines(self._logs / "agent.err", _SHOWN_LINES)
        words = f"Container {processes.exit_words(status)}" + (f": {lines[-1]}" if lines else "")
        if len(lines) > 1:
            words += "\nlast lines of agent.err:\n" + "\n".join(lines)
        return CompletedContainer(self.id, code, words)
