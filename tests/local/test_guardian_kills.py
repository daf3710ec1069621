"""Whatever is killed, nothing of a user program survives."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

PROGRAMS = Path(__file__).parent / "programs"
MARK = "XL_TEST_MARK"
DEADLINE = 90.0  # seconds; for a machine that is very busy


def until(condition: Callable[[], bool], what: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, what()
        time.sleep(0.01)


class Agent:
    """The driver `programs/agent.py` with one program below it."""

    def __init__(self, folder: Path, program: str, *args: str, grace: float = 0.3) -> None:
        self.mark = uuid.uuid4().hex
        self.folder = folder
        command = [sys.executable, str(PROGRAMS / program), *args]
        self.process = subprocess.Popen(
            [sys.executable, PROGRAMS / "agent.py", folder, str(grace), *command],
            env={**os.environ, MARK: self.mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started = self.line()
        self.pids = {"agent": self.process.pid, "guardian": started["guardian"], "program": started["pid"]}
        until(lambda: "ready" in (folder / "stdout").read_text(), lambda: (folder / "stderr").read_text())

    def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("stop\n")
        self.process.stdin.flush()

    def alive(self) -> list[str]:
        """Every process that carries our mark, the agent excepted."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.pid != self.process.pid and process.environ().get(MARK) == self.mark:
                    found.append(f"{process.pid} {process.ppid()} {process.status()} {process.cmdline()}")
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found

    def assert_all_gone(self) -> None:
        until(lambda: not self.alive(), self.alive)

    def close(self) -> None:
        """Leave nothing behind, not even when the test has failed."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        for line in self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(line.split()[0]), signal.SIGKILL)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Agent]]:
    agents: list[Agent] = []

    def begin(*args: str, grace: float = 0.3) -> Agent:
        agents.append(Agent(tmp_path, *args, grace=grace))
        return agents[-1]

    yield begin
    for agent in agents:
        agent.close()


@pytest.mark.parametrize("program", ["plain", "forks", "daemon", "stubborn", "everything"])
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL], ids=["TERM", "KILL"])
@pytest.mark.parametrize("victim", ["agent", "guardian", "program"])
def test_nothing_survives(start: Callable[..., Agent], victim: str, signum: int, program: str) -> None:
    agent = start(f"{program}.py")
    ignores = program in ("stubborn", "everything")
    assert len(agent.alive()) >= 2
    os.kill(agent.pids[victim], signum)
    if victim == "program" and signum == signal.SIGTERM and ignores:
        agent.stop()
    if victim != "agent":
        end = agent.line()
        killed = signum == signal.SIGKILL or ignores
        assert end["code"] == 128 + (signal.SIGKILL if killed else signal.SIGTERM)
        assert ("guardian" in end["reason"]) == (victim == "guardian" and signum == signal.SIGKILL)
        assert not agent.alive(), "reported before everything was gone"
    agent.assert_all_gone()


def test_stop_order_ends_everything(start: Callable[..., Agent]) -> None:
    agent = start("everything.py")
    agent.stop()
    end = agent.line()
    assert end["code"] == 137
    assert end["swept"] >= 4
    assert not agent.alive()


@pytest.mark.parametrize("victim", ["agent", "guardian", "program"])
def test_fork_bomb_is_swept(start: Callable[..., Agent], victim: str) -> None:
    agent = start("forkbomb.py", "40", "150")
    os.kill(agent.pids[victim], signal.SIGKILL)
    if victim != "agent":
        assert agent.line()["code"] == 137
        assert not agent.alive()
    agent.assert_all_gone()
