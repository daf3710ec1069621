"""Runs the real `xl-submit` with a configuration of its own and looks at what is left afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from xlearning.fs import FileSystems

PROGRAMS = Path(__file__).resolve().parent / "programs"
SUBMIT = Path(sys.executable).parent / "xl-submit"
# Seconds. Jobs take ten times longer where many share a machine, and who waits for what comes loses nothing.
PATIENCE = 240.0


def wait_for(what: Callable[[], object], seconds: float = PATIENCE, message: str = "") -> object:
    """The first true answer of ``what``; fails after ``seconds``."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not (answer := what()):
        assert time.monotonic() < deadline, message or "waited in vain"
        pause.wait(0.02)
    return answer


@dataclass
class Ended:
    """What one `xl-submit` has said and done."""

    code: int
    out: str
    err: str
    args: list[str]

    @property
    def app_id(self) -> str:
        (line,) = self.out.splitlines()
        assert line.startswith("application_"), self.out
        return line


def words_of(process: psutil.Process) -> list[str]:
    """Its command line; of one that has just ended, nothing."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


class Running:
    """An `xl-submit` under way; its messages are read as they come."""

    def __init__(self, process: subprocess.Popen[str], args: list[str]) -> None:
        self.process, self._args = process, args
        self._err: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._err.append(line)

    @property
    def err(self) -> str:
        return "".join(self._err)

    def said(self, words: str, seconds: float = PATIENCE) -> None:
        try:
            wait_for(lambda: words in self.err or self.process.poll() is not None, seconds)
        except AssertionError:
            raise AssertionError(f"no {words!r} within {seconds:g} s in:\n{self._abort()}") from None
        if words not in self.err:
            self._reader.join(10)  # it has ended, and its last lines may not have been read yet
        assert words in self.err, self.err

    def _abort(self) -> str:
        """End it, and let it say what its threads do."""
        self.process.send_signal(signal.SIGABRT)
        self.process.wait(10)
        self._reader.join(10)
        return self.err

    def end(self, seconds: float = PATIENCE) -> Ended:
        assert self.process.stdout is not None
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"xl-submit did not end within {seconds:g} s:\n{self._abort()}") from None
        out = self.process.stdout.read()
        self.close()
        return Ended(code, out, self.err, self._args)

    def close(self) -> None:
        """Kill it if it still runs, and let go of its streams, also where nobody waited for its end."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self._reader.join(10)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


class Gateway:
    """A user's machine: home of local jobs, staging and history below one folder."""

    where: tuple[str, ...] = ("--local",)
    program: tuple[str, ...] = (str(SUBMIT),)

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self.root = root
        self.work = root / "work"
        self.staging, self.history = root / "staging", root / "history"
        self.work.mkdir(parents=True)
        self.properties = {
            "xlearning.local.dir": str(root / "local"),
            "xlearning.staging.dir": self.staging.as_uri(),
            "xlearning.history.log.dir": self.history.as_uri(),
        }
        self.environment = dict(environ)
        self._marker = f"XLEARNING_TEST_GATEWAY={root}"
        self._started: list[Running] = []

    def environ(self) -> dict[str, str]:
        name, _, value = self._marker.partition("=")
        return {
            "PYTHONFAULTHANDLER": "1",
            **self.environment,
            name: value,
            "XLEARNING_CONF_DIR": str(self.write_site()),
        }

    def write_site(self) -> Path:
        conf = self.root / "conf"
        conf.mkdir(exist_ok=True)
        rows = "".join(
            f"<property><name>{k}</name><value>{v}</value></property>" for k, v in self.properties.items()
        )
        (conf / "xlearning-site.xml").write_text(f"<configuration>{rows}</configuration>")
        return conf

    def start(self, *args: object) -> Running:
        return self.start_verb(*self.where, *args)

    def verb(self, *args: object, seconds: float = PATIENCE) -> Ended:
        """`xl-submit` with exactly these words, to its end."""
        return self.start_verb(*args).end(seconds)

    def start_verb(self, *args: object) -> Running:
        words = [*self.program, *map(str, args)]
        process = subprocess.Popen(
            words,
            cwd=self.work,
            env=self.environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running = Running(process, words)
        self._started.append(running)
        return running

    def submit(self, *args: object, seconds: float = PATIENCE) -> Ended:
        return self.start(*args).end(seconds)

    def processes(self) -> list[psutil.Process]:
        """Everything that came of this gateway's submits and still runs."""
        root = str(self.root)
        found = []
        for process in psutil.process_iter():
            try:
                if process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                    words = " ".join(process.cmdline())
                    inside = str(process.cwd()).startswith(root) or root in words
                    if inside or root in str(process.environ().get("XLEARNING_STAGING", "")):
                        found.append(process)
            except (psutil.Error, OSError):
                continue
        return found

    def nothing_is_left(self) -> None:
        """No process, no staging folder; waits for what is on its way out."""
        wait_for(lambda: not self.processes(), 30, f"still there: {self.processes()}")
        assert not self.staging.exists() or not list(self.staging.iterdir())

    def close(self) -> None:
        for running in self._started:
            running.close()
        for process in self.processes():
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue


def local_storage() -> FileSystems:
    return FileSystems("file://")
