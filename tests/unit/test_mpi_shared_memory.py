"""The folder for the shared memory of MPI's ranks goes, however its node ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from submitting import wait_for

from xlearning.container.mpi.shared import PREFIX, SharedMemory

_NODE = """
import sys
from xlearning.container.mpi.shared import SharedMemory
shared = SharedMemory(sys.argv[1])
print(shared._remover.pid, flush=True)
sys.stdin.read()
"""


def node(base: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _NODE, str(base)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def folders(base: Path) -> list[Path]:
    return list(base.glob(f"{PREFIX}*"))


def test_it_is_removed_with_all_that_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTAINER_ID", "container_1")
    shared = SharedMemory(str(tmp_path))
    assert folders(tmp_path) == [Path(shared.path)] and "container_1" in shared.path
    (Path(shared.path) / "segment").write_bytes(b"0" * 100)
    shared.remove()
    assert not folders(tmp_path)


def test_it_goes_when_the_node_is_killed(tmp_path: Path) -> None:
    with node(tmp_path) as killed:
        assert killed.stdout is not None
        killed.stdout.readline()
        (found,) = folders(tmp_path)
        (found / "segment").write_bytes(b"0" * 100)
        killed.kill()
    wait_for(lambda: not folders(tmp_path), message="it is left")


def test_the_next_node_removes_what_nobody_could_and_nothing_that_is_in_use(tmp_path: Path) -> None:
    with node(tmp_path) as killed, node(tmp_path) as alive:
        assert killed.stdout is not None and alive.stdout is not None and alive.stdin is not None
        os.kill(int(killed.stdout.readline()), signal.SIGKILL)
        alive.stdout.readline()
        assert len(folders(tmp_path)) == 2
        killed.kill()
        killed.wait()
        assert len(folders(tmp_path)) == 2
        shared = SharedMemory(str(tmp_path))
        assert len(folders(tmp_path)) == 2 and Path(shared.path).is_dir()
        shared.remove()
        (left,) = folders(tmp_path)
        alive.stdin.close()
        alive.wait()
    wait_for(lambda: not left.exists(), message="it is left")
