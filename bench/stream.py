"""How fast one worker is fed text: input strategy STREAM to `wc -l` and to a program that reads lines.

Prints a table and writes bench/out/stream.json. Rates are in MB/s (10^6 bytes) and stand beside
baselines of the same run: `cat FILE | wc -l` of a local copy, which is what pipe and `wc` allow;
Hadoop's own `hdfs dfs -cat FILE | wc -l`, which starts a JVM; and hdfs-native reading the file alone,
which is what HDFS allows. The jobs run with --local, so that nothing but the agent that feeds and the
DataNode that it reads from has work to do. Memory is the agent's highest, in MB.
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
# From the first thing that the program does to the end of its input. The agent is its grandparent.
PROGRAM = """
date +%s.%N > BEGIN; COMMAND > COUNT; date +%s.%N > END
agent=$(awk '/^PPid/ {print $2}' /proc/$PPID/status); awk '/^VmHWM/ {print $2}' /proc/$agent/status > MEMORY
"""
WC = "wc -l"
LINES = """python3 -c 'import sys; print(sum(1 for line in sys.stdin.buffer))'"""
LOCAL_CAT, CAT = "cat of a local copy into wc -l", "hdfs dfs -cat into wc -l"
PIPED, PYTHON = "STREAM: wc -l, from HDFS", "STREAM: lines in Python, from HDFS"
LOCAL = "STREAM: wc -l, from local disk"
JAVA = 112  # MB/s that Java XLearning 1.4 fed to `wc -l`, on two quiet cores
MEMORY = (16 * 2**20) / 1e6 + 80  # MB: xlearning.input.prefetch, and 80
KEYS = ("--conf", "xlearning.inputformat.key=true")  # records one by one
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
    """MB/s over all runs; ``ratio`` is the median to that of reading with hdfs-native alone.

    ``memory`` is the agent's highest in MB; 0 where there is none.
    """

    name: str
    minimum: float
    median: float
    maximum: float
    ratio: float
    memory: float


class Bench:
    """A file on local disk and on HDFS, and the ways to count its lines."""

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
        self.memory = 0.0
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

    def java(self) -> float:
        """`hdfs dfs -cat FILE | wc -l`, the JVM's start and all; MB/s."""
        begin = time.perf_counter()
        shell = '"$JAVA_HOME/bin/java" -cp "$(hdfs classpath)" org.apache.hadoop.fs.FsShell'
        command = f"{shell} -cat '{self.remote}/lines' | wc -l"
        words = ["bash", "-o", "pipefail", "-c", command]
        counted = subprocess.run(
            words,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=DEADLINE,
            env=self.environ,
        ).stdout
        return self._rate(time.perf_counter() - begin, int(counted))

    def stream(self, source: str, command: str, *more: str) -> float:
        """A job of one worker; MB/s that it was fed with. Leaves the agent's memory in ``memory``."""
        signs = {name: self.folder / name.lower() for name in ("BEGIN", "COUNT", "END", "MEMORY")}
        program = PROGRAM.replace("COMMAND", command)
        for name, path in signs.items():
            program = program.replace(name, str(path))
        words = [str(SUBMIT), "--local", "--input-strategy", "stream", "--input", source, *more]
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
        begin, count, end, memory = (float(path.read_text()) for path in signs.values())
        self.memory = max(self.memory, memory * 1024 / 1e6)
        return self._rate(end - begin, int(count))

    def _rate(self, seconds: float, lines: int | None = None) -> float:
        if lines is not None and lines != self.lines:
            raise RuntimeError(f"{lines} lines were counted, there are {self.lines}")
        return self.size / 1e6 / seconds


def measure(hadoop: MiniHadoop, runs: int, size: int) -> list[Rate]:
    """All ways, one after the other, ``runs`` times."""
    with tempfile.TemporaryDirectory(prefix="xlearning-bench-") as name:
        bench = Bench(Path(name), hadoop, size)
        try:
            local, remote = bench.local.parent.as_uri(), bench.remote
            jobs = {
                PIPED: lambda: bench.stream(remote, WC),
                PYTHON: lambda: bench.stream(remote, LINES),
                "STREAM: lines and their keys, from HDFS": lambda: bench.stream(remote, LINES, *KEYS),
                LOCAL: lambda: bench.stream(local, WC),
            }
            ways = {
                LOCAL_CAT: bench.pipe,
                CAT: bench.java,
                "hdfs-native reads, alone": bench.native,
                **jobs,
            }
            found: dict[str, list[float]] = {way: [] for way in ways}
            memory = dict.fromkeys(ways, 0.0)
            for run in ways.values():
                run()  # warms caches
            for _ in range(runs):
                for way, run in ways.items():
                    bench.memory = 0.0
                    found[way].append(run())
                    memory[way] = max(memory[way], bench.memory)
        finally:
            bench.close()
    base = statistics.median(found["hdfs-native reads, alone"])
    return [
        Rate(way, min(rates), middle := statistics.median(rates), max(rates), middle / base, memory[way])
        for way, rates in found.items()
    ]


def table(rates: list[Rate]) -> str:
    """The figures in Markdown."""
    rows = [
        f"| {r.name} | {r.minimum:.0f} | {r.median:.0f} | {r.maximum:.0f} | {r.ratio:.2f} "
        f"| {f'{r.memory:.0f} MB' if r.memory else ''} |"
        for r in rates
    ]
    return "\n".join(
        ["| MB/s | min | median | max | x hdfs-native | agent |", "|---|---|---|---|---|---|", *rows]
    )


def goals(rates: list[Rate]) -> str:
    """What is wanted, and whether it was reached, in Markdown."""
    rate = {r.name: r.median for r in rates}
    ratios = [
        (PIPED, CAT, rate[PIPED] / rate[CAT], 1.0),
        (PYTHON, CAT, rate[PYTHON] / rate[CAT], 1.0),
        (PIPED, f"Java XLearning 1.4, {JAVA} MB/s", rate[PIPED] / JAVA, 3.0),
        (LOCAL, LOCAL_CAT, rate[LOCAL] / rate[LOCAL_CAT], 0.7),
    ]
    rows = [
        f"| {name} | {base} | {wanted:g} x or more | {ratio:.2f} | {_verdict(ratio >= wanted)} |"
        for name, base, ratio, wanted in ratios
    ]
    most = max(r.memory for r in rates)
    rows.append(
        f"| agent's highest memory, MB | prefetch + 80 | {MEMORY:.1f} or less | {most:.1f} "
        f"| {_verdict(most <= MEMORY)} |"
    )
    return "\n".join(["| figure | to | goal | measured |  |", "|---|---|---|---|---|", *rows])


def _verdict(met: bool) -> str:
    return "met" if met else "**missed**"


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
    print(f"{options.size} MB, {options.runs} runs, {machine['cores']} cores")
    print(f"\n{table(rates)}\n\n{goals(rates)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
