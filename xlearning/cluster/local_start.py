"""Starting and signalling the supervisor of an application of this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from xlearning.cluster import processes
from xlearning.cluster.local_files import AppFolder, read_text


def signal_supervisor(files: AppFolder, number: int) -> bool:
    """Signal the supervisor; False when it has not been started yet."""
    supervisor = read_text(files.supervisor)
    if processes.alive(supervisor):
        processes.send([int(supervisor.partition(" ")[0])], number)
    return bool(supervisor)


def start_supervisor(files: AppFolder, env: Mapping[str, str]) -> None:
    """Start the supervisor in a session of its own, and note which process it is."""
    pid = _spawn(files, env)
    files.supervisor.write_text(processes.identity(pid))  # while it cannot be gone without a trace
    threading.Thread(target=_collect, args=(pid,), name="supervisor", daemon=True).start()


def _spawn(files: AppFolder, env: Mapping[str, str]) -> int:
    script = str(Path(__file__).with_name("local_supervisor.py"))
    log = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    # The stop signal stays blocked from the first moment, so that none is lost before the supervisor waits.
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", script, str(files.path)],
        env,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(files.supervisor_log), log, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigmask=[signal.SIGTERM],
        setsigdef=[signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD],
    )


def _collect(pid: int) -> None:
    """Wait for the end of a supervisor, our child, and ask for its exit status, as nobody else does.

    It ends some time after its last word about the job; a client that lives on would keep a zombie.
    """
    with contextlib.suppress(ChildProcessError):  # whoever ignores SIGCHLD has no children to ask
        os.waitpid(pid, 0)
