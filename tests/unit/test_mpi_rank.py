"""The script beside each rank of MPI, without MPI."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from xlearning.container.mpi import scripts


def run(tmp_path: Path, rank: int, program: str) -> tuple[int, str, str, str, str]:
    """Exit code, stdout and stderr of the container, what mpirun hears, and the note of a failure."""
    (tmp_path / "work").mkdir()
    scripts.write(tmp_path)
    with (tmp_path / "out").open("ab") as out, (tmp_path / "err").open("ab") as err:
        node = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    environ = {
        **{"XLEARNING_MPI_DIR": str(tmp_path / "work"), "XLEARNING_MPI_PATH": os.environ["PATH"]},
        **{"XLEARNING_MPI_TMPDIR": "/tmp", "XLEARNING_MPI_NODE": str(node.pid)},
        **{"XLEARNING_MPI_FAILED": str(tmp_path / "failed"), "XLEARNING_MPI_DRAIN": "1"},
        **{"XLEARNING_MPI_RANKS": str(tmp_path / "ranks"), "PATH": os.environ["PATH"]},
        **{"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "2", "PMIX_NAMESPACE": "job"},
    }
    try:
        ended = subprocess.run(
            [tmp_path / scripts.RANK, "sh", "-c", program], env=environ, capture_output=True, timeout=30
        )
    finally:
        node.kill()
        node.wait()
    failed = tmp_path / "failed"
    logs = [(tmp_path / name).read_text() for name in ("out", "err")]
    heard = (ended.stdout + ended.stderr).decode()
    return ended.returncode, *logs, heard, failed.read_text() if failed.exists() else ""


@pytest.mark.parametrize(("rank", "heard"), [(0, "said\nwarned\n"), (1, "")])
def test_output_goes_to_the_container_and_that_of_rank_0_to_mpirun_too(
    tmp_path: Path, rank: int, heard: str
) -> None:
    found = run(tmp_path, rank, "echo said; echo warned >&2; exit 3")
    assert (tmp_path / "ranks").read_text() == f"{rank} 2 job\n"
    assert found == (3, "said\n", "warned\n", heard, f"{rank} 3\n")


@pytest.mark.parametrize("rank", [0, 1])
def test_what_a_rank_leaves_behind_does_not_hold_it_up(tmp_path: Path, rank: int) -> None:
    code, out, *_ = run(tmp_path, rank, "sleep 60 & echo $!")
    os.kill(int(out), signal.SIGKILL)
    assert code == 0
