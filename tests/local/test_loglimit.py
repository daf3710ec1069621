"""Log files stay below their limit while a program writes them."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path

import pytest

from xlearning.container.loglimit import LogLimit

LIMIT = 100_000

WRITER = """
import sys
for number in range(int(sys.argv[1])):
    print("line", number, flush=True)
    if number % 2000 == 0:
        sys.stdin.readline()
"""


def numbers(path: Path) -> list[int]:
    return [int(line.split()[1]) for line in path.read_text().splitlines() if line.startswith("line")]


def test_beginning_and_end_of_a_running_programs_log_stay(tmp_path: Path) -> None:
    path, count = tmp_path / "stdout", 40_001
    limit = LogLimit([path, tmp_path / "stderr"], LIMIT)
    command = [sys.executable, "-c", WRITER, str(count)]
    with path.open("ab") as out, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out) as program:
        assert program.stdin is not None
        for step in range(0, count, 2000):
            end = time.monotonic() + 30
            while f"line {step}\n".encode() not in path.read_bytes():
                assert time.monotonic() < end
                time.sleep(0.001)
            limit.enforce()
            assert path.stat().st_size <= LIMIT
            program.stdin.write(b"\n")
            program.stdin.flush()
    limit.enforce()
    kept = numbers(path)
    gaps = [(a, b) for a, b in itertools.pairwise(kept) if b != a + 1]
    assert (kept[0], kept[-1], len(gaps)) == (0, count - 1, 1)
    (note,) = [line for line in path.read_text().splitlines() if not line.startswith("line")]
    missing = sum(len(f"line {n}\n") for n in range(gaps[0][0] + 1, gaps[0][1]))
    assert note == f"[xlearning: about {missing} bytes dropped here, the limit is {LIMIT} bytes]"


@pytest.mark.parametrize("limit", [0, LIMIT])
def test_no_limit_or_a_small_file_changes_nothing(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "stdout"
    path.write_bytes(b"x\n" * (LIMIT // 2 if limit else LIMIT))
    before = path.read_bytes()
    LogLimit([path], limit).enforce()
    assert path.read_bytes() == before


def test_one_endless_line(tmp_path: Path) -> None:
    path = tmp_path / "stdout"
    path.write_bytes(b"x" * (3 * LIMIT))
    LogLimit([path], LIMIT).enforce()
    data = path.read_bytes()
    assert len(data) <= LIMIT
    assert b"dropped" in data
