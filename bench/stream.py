"""How fast one worker is fed text from HDFS: input strategy STREAM to the standard input of `wc -l`.

Prints a table and writes bench/out/stream.json. Rates are in MB/s (10^6 bytes) and stand beside two
baselines of the same run: `cat FILE | wc -l` of a local copy, which is what pipe and `wc` allow, and
hdfs-native reading the file alone, which is what HDFS allows. The job runs with --local, so that
nothing but the agent that feeds and the DataNode that it reads from has work to do.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from minihadoop import MiniHadoop  # noqa: E402

from xlearning.fs import FileSystems  # noqa: E402
from xlearning.fs.transfer import upload  # noqa: E402

SUBMIT = Path(sys.executable).parent / "xl-submit"
LINE = b"%012d some words that stand for a record of a data set\n"
DEADLINE = 600.0  # seconds
# From the first thing that the program does to the end of its input.
PROGRAM = "date +%s.%N > BEGIN; wc -l > COUNT; date +%s.%N > END"
READ = """
import sys, time
from xlearning.fs import FileSystems
fs = FileSystems(sys.argv[1]).of(sys.argv[1])
begin, size = time.perf_counter(), 0
with fs.open_read(sys.argv[1]) as file:
    while data := file.read(1 << 20):
        size += len(data)
print(size, time.perf_counter() - begin)
"""


@dataclass(frozen=True)
class Rate:
    """MB/s over all runs; ``ratio`` is the median to that of reading with hdfs-native alone."""

    name: str
    minimum: float
    median: float
    maximum: float
    ratio: float


class Bench:
    """A file on local disk and on HDFS, and the three ways to count its lines."""

    def __init__(self, folder: Path, hadoop: MiniHadoop, size: int) -> None:
        self.folder = folder
        self.lines = max(1, size // len(LINE % 0))
        self.local = folder / "data" / "lines"
        self.local.parent.mkdir()
        with self.local.open("wb") as file:
            for start in range(0, self.lines, 10_000):
                file.write(b"".join(LINE % n for n in range(start, min(start + 10_000, self.lines))))
        self.size = self.local.stat().st_size
        self.remote = f"{hadoop.hdfs_uri}/bench-stream-{os.getpid()}"
        self.storage = FileSystems(hadoop.hdfs_uri)
        upload(self.storage, self.local.parent, self.remote, threads=1, retry_time=60.0)
        conf = folder / "conf"
        conf.mkdir()
        (conf / "xlearning-site.xml").write_text(
            "<configuration><property><name>xlearning.local.dir</name>"
            f"<value>{folder / 'jobs'}</value></property></configuration>"
        )
        self.environ = {**hadoop.env(os.environ), "XLEARNING_CONF_DIR": str(conf)}

    def close(self) -> None:
        self.storage.default.delete(self.remote, recursive=True)

    def pipe(self) -> float:
        """`cat FILE | wc -l`; MB/s."""
        begin = time.perf_counter()
        words = ["bash", "-c", f"cat '{self.local}' | wc -l"]
        counted = subprocess.run(words, check=True, stdout=subprocess.PIPE, timeout=DEADLINE).stdout
        return self._rate(time.perf_counter() - begin, int(counted))

    def native(self) -> float:
        """hdfs-native reads the file in a process of its own; MB/s."""
        words = [sys.executable, "-c", READ, f"{self.remote}/lines"]
        said = subprocess.run(words, check=True, stdout=subprocess.PIPE, timeout=DEADLINE, env=self.environ)
        size, seconds = said.stdout.split()
        if int(size) != self.size:
            raise RuntimeError(f"hdfs-native has read {int(size)} of {self.size} bytes")
        return self._rate(float(seconds))

    def stream(self) -> float:
        """A job of one worker; MB/s that it was fed with."""
        signs = {name: self.folder / name.lower() for name in ("BEGIN", "COUNT", "END")}
        program = PROGRAM
        for name, path in signs.items():
            program = program.replace(name, str(path))
        words = [str(SUBMIT), "--local", "--input-strategy", "stream", "--input", self.remote]
        said = subprocess.run(
            [*words, "--", "bash", "-c", program],
            env=self.environ,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        if said.returncode != 0:
            raise RuntimeError(f"the job failed:\n{said.stderr}")
        begin, count, end = (float(path.read_text()) for path in signs.values())
        return self._rate(end - begin, int(count))

    def _rate(self, seconds: float, lines: int | None = None) -> float:
        if lines is not None and lines != self.lines:
            raise RuntimeError(f"{lines} lines were counted, there are {self.lines}")
        return self.size / 1e6 / seconds


def measure(hadoop: MiniHadoop, runs: int, size: int) -> list[Rate]:
    """All three, one after the other, ``runs`` times."""
    with tempfile.TemporaryDirectory(prefix="xlearning-bench-") as name:
        bench = Bench(Path(name), hadoop, size)
        try:
            ways = {
                "cat of a local copy into wc -l": bench.pipe,
                "hdfs-native reads, alone": bench.native,
                "STREAM: one worker's wc -l, from HDFS": bench.stream,
            }
            found: dict[str, list[float]] = {way: [] for way in ways}
            for run in ways.values():
                run()  # warms caches
            for _ in range(runs):
                for way, run in ways.items():
                    found[way].append(run())
        finally:
            bench.close()
    base = statistics.median(found["hdfs-native reads, alone"])
    return [
        Rate(way, min(rates), middle := statistics.median(rates), max(rates), middle / base)
        for way, rates in found.items()
    ]


def table(rates: list[Rate]) -> str:
    """The figures in Markdown."""
    rows = [
        f"| {r.name} | {r.minimum:.0f} | {r.median:.0f} | {r.maximum:.0f} | {r.ratio:.2f} |" for r in rates
    ]
    return "\n".join(["| MB/s | min | median | max | x hdfs-native |", "|---|---|---|---|---|", *rows])


@contextlib.contextmanager
def cluster(folder: str | None) -> Iterator[MiniHadoop]:
    """The cluster of a folder, which is up; without one, a cluster for this run."""
    if folder:
        yield MiniHadoop(folder)
        return
    with tempfile.TemporaryDirectory(prefix="xlearning-bench-hadoop-") as name, MiniHadoop(name) as hadoop:
        yield hadoop


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", type=int, default=256, help="of the file, in MB (default: 256)")
    parser.add_argument("--hadoop", metavar="DIR", help="folder of a minihadoop that is up")
    options = parser.parse_args()
    with cluster(options.hadoop) as hadoop:
        rates = measure(hadoop, options.runs, options.size * 1_000_000)
    out = ROOT / "bench" / "out"
    out.mkdir(parents=True, exist_ok=True)
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()}
    record = {
        "machine": machine,
        "runs": options.runs,
        "mb": options.size,
        "rates": [asdict(r) for r in rates],
    }
    (out / "stream.json").write_text(json.dumps(record, indent=2) + "\n")
    print(f"{options.size} MB, {options.runs} runs, {machine['cores']} cores\n\n{table(rates)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
