"""Stands for YARN's ResourceManager on a laptop: one small process per application.

Run as ``python -I -S local_supervisor.py <application folder>`` by `xlearning.cluster.local`.
It starts the attempts of the ApplicationMaster, turns their end into ``app.json``, and leaves no
process and no working folder behind. Standard library only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

if __name__ == "__main__":
    # started by path, without site: our package lies two folders up
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from xlearning.cluster import processes
from xlearning.cluster.local_files import (
    AM_CONTAINER,
    APP_ID,
    AppFolder,
    last_lines,
    make_private,
    read_json,
    read_text,
    write_json,
)
from xlearning.trees import remove_tree

TYPE_CHECKING = False  # as in typing, whose import costs more than the rest of this module
if TYPE_CHECKING:
    from typing import Any

KEPT_APPLICATIONS = 50
KEPT_SECONDS = 7 * 24 * 3600.0

_SIGNALS = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT}
_POLL = 0.05  # seconds, while processes are being ended


class Supervisor:
    """Runs one application to its end.

    Parameters
    ----------
    folder : Path
        The application's folder, with an ``app.json`` in it.
    command : sequence of str
        The ApplicationMaster.
    attempts : int
        How many times it may be started.
    grace : float
        Seconds between TERM and KILL for what an ApplicationMaster left behind.
    patience : float
        Seconds that an ApplicationMaster has to end after it was told to.
    """

    def __init__(
        self,
        folder: Path,
        command: Sequence[str],
        attempts: int = 1,
        grace: float = 5.0,
        patience: float = 15.0,
    ) -> None:
        self._files = AppFolder(folder)
        self._command = list(command)
        self._attempts = attempts
        self._grace = grace
        self._patience = patience
        self._stopped = False

    def run(self) -> None:
        """Run the attempts; returns when the application has ended and nothing of it runs any more."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        processes.become_subreaper()
        outcome: dict[str, Any] = {}
        for attempt in range(1, self._attempts + 1):
            outcome = self._attempt(attempt)
            if self._stopped or not outcome["retry"]:
                break
        self._report(
            outcome["state"], diagnostics=outcome["diagnostics"], tracking_url="", finished=time.time()
        )
        for folder in self._files.working_folders():
            remove_tree(folder)

    def _attempt(self, attempt: int) -> dict[str, Any]:
        if self._stopped:
            return _outcome("KILLED", f"{self._why()} before its ApplicationMaster had started")
        try:
            process = self._start(attempt)
        except OSError as error:
            words = f"cannot start the ApplicationMaster with {self._command[0]}: {error.strerror}"
            return _outcome("FAILED", words)
        self._report("RUNNING", attempt=attempt, supervised=process.pid)
        process.returncode = self._wait(process.pid)
        self._sweep()
        return self._judge(attempt, process.returncode)

    def _start(self, attempt: int) -> subprocess.Popen[bytes]:
        folder = self._files.am(attempt)
        work, logs = make_private(folder / "work"), make_private(folder / "logs")
        env = {
            **os.environ,
            "XLEARNING_APP_ID": self._files.app_id,
            "XLEARNING_ATTEMPT": str(attempt),
            "XLEARNING_LOG_DIR": str(logs),
            "CONTAINER_ID": self._files.container_id(attempt, AM_CONTAINER),
            "PWD": str(work),
        }
        parent = os.getpid()

        def prepare() -> None:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            processes.die_with_parent(parent)

        with open(logs / "am.out", "wb") as out, open(logs / "am.err", "wb") as err:
            return subprocess.Popen(
                self._command,
                cwd=work,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=prepare,
            )

    def _wait(self, pid: int) -> int:
        """Exit status of the ApplicationMaster; a stop order in between is passed on, then enforced."""
        deadline: float | None = None
        while True:
            status = _reap(pid)
            if status is not None:
                return status
            left = 3600.0 if deadline is None else max(0.0, deadline - time.monotonic())
            caught = signal.sigtimedwait(_SIGNALS, left)
            if caught is not None and caught.si_signo != signal.SIGCHLD and not self._stopped:
                self._stopped = True
                processes.send([pid], signal.SIGTERM)
                deadline = time.monotonic() + self._patience
            if deadline is not None and time.monotonic() >= deadline:
                processes.kill(_descendants)
                deadline = None

    def _sweep(self) -> None:
        """End what an ApplicationMaster left behind.

        Only our own children, the agents, are told: their guardians hear it from them and give the
        user's programs their time.
        """
        mine = os.getpid()
        processes.send((p.pid for p in processes.table().values() if p.parent == mine), signal.SIGTERM)
        deadline = time.monotonic() + self._grace
        while _descendants(processes.table()):
            _reap(0)
            caught = signal.sigtimedwait(_SIGNALS, _POLL)
            if caught is not None and caught.si_signo != signal.SIGCHLD:
                self._stopped = True
            if time.monotonic() >= deadline:
                processes.kill(_descendants)
        _reap(0)

    def _judge(self, attempt: int, status: int) -> dict[str, Any]:
        folder = self._files.am(attempt)
        said = read_json(folder / "finish.json")
        if said is not None:
            words = said["diagnostics"]
            if self._stopped and said["state"] == "KILLED" and not words.startswith("killed by "):
                words = self._why(words)
            return _outcome(said["state"], words, retry=said["retry"])
        if self._stopped:
            return _outcome("KILLED", self._why("killed by its user"))
        words = f"the ApplicationMaster {processes.exit_words(status)}"
        if status == 0:
            words += " without a word about the job"
        if self._attempts > 1:
            words = f"attempt {attempt} of {self._attempts}: {words}"
        tail = last_lines(folder / "logs" / "am.err", 1)
        return _outcome("FAILED", ": ".join([words, *tail]), retry=True)

    def _why(self, otherwise: str = "killed") -> str:
        """What whoever killed it has said; ``otherwise`` where they said nothing."""
        return str((read_json(self._files.killed) or {}).get("why", otherwise))

    def _report(self, state: str, **changes: Any) -> None:
        report = read_json(self._files.report) or {"app_id": self._files.app_id}
        write_json(self._files.report, {**report, "state": state, **changes})


def supervise(
    folder: Path, command: Sequence[str], attempts: int = 1, grace: float = 5.0, patience: float = 15.0
) -> None:
    """Run an application to its end; see `Supervisor`."""
    Supervisor(folder, command, attempts, grace, patience).run()


def delete_old(apps: Path, now: float) -> None:
    """Delete folders of ended applications that are neither among the newest 50 nor of the last seven days.

    Parameters
    ----------
    now : float
        Seconds since 1970.
    """
    own = (f for f in apps.iterdir() if APP_ID.fullmatch(f.name) and AppFolder(f).is_own())
    folders = sorted(own, key=lambda f: f.name, reverse=True)
    for folder in folders[KEPT_APPLICATIONS:]:
        match = APP_ID.fullmatch(folder.name)
        young = match is not None and int(match[1]) / 1000 > now - KEPT_SECONDS
        if not young and not processes.alive(read_text(folder / "supervisor.pid")):
            remove_tree(folder)


def _outcome(state: str, diagnostics: str, *, retry: bool = False) -> dict[str, Any]:
    return {"state": state, "diagnostics": diagnostics, "retry": retry}


def _descendants(table: Mapping[int, processes.Process]) -> set[int]:
    return processes.descendants([os.getpid()], table)


def _reap(wanted: int) -> int | None:
    """Collect every child that has ended; the status of ``wanted`` when it is among them."""
    status = None
    while True:
        try:
            pid, code = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == 0:
            return status
        if pid == wanted:
            status = os.waitstatus_to_exitcode(code)


def main(argv: Sequence[str]) -> None:
    """Run the application in the folder ``argv[0]`` as its ``launch.json`` says."""
    os.closerange(3, 4096)
    folder = Path(argv[0])
    launch: Mapping[str, Any] = read_json(folder / "launch.json")
    supervise(folder, launch["command"], launch["attempts"], launch["grace"], launch["patience"])
    delete_old(folder.parent, time.time())


if __name__ == "__main__":
    main(sys.argv[1:])
