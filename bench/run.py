"""`make bench`: how long local jobs take to start and end, and what agent and ApplicationMaster weigh.

Prints a table and writes bench/out/local.json. Times are also given as a ratio to a baseline of the
same run, the start of a Python that imports grpc, because seconds alone say little about another
machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
SUBMIT = Path(sys.executable).parent / "xl-submit"
DEADLINE = 60.0  # seconds


@dataclass(frozen=True)
class Figure:
    """One measured quantity over all runs."""

    name: str
    unit: str
    goal: float | None
    minimum: float
    median: float
    maximum: float
    ratio: float | None  # median to the baseline's median; only for times


class Bench:
    """A gateway of its own below a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        conf = folder / "conf"
        conf.mkdir()
        (conf / "xlearning-site.xml").write_text(
            "<configuration><property><name>xlearning.local.dir</name>"
            f"<value>{folder / 'local'}</value></property></configuration>"
        )
        self.environ = {**os.environ, "XLEARNING_CONF_DIR": str(conf)}

    def submit(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(SUBMIT), "--local", *words],
            env=self.environ,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def first_line(self) -> float:
        """Seconds from `xl-submit` to the first line of the user's program."""
        stamp = self.folder / "stamp"
        stamp.unlink(missing_ok=True)
        begin = time.time()
        process = self.submit("--", "bash", "-c", f"date +%s.%N > {stamp}")
        check(process)
        return float(stamp.read_text()) - begin

    def empty_job(self) -> float:
        """Seconds of a whole job that does nothing."""
        begin = time.perf_counter()
        check(self.submit("--", "true"))
        return time.perf_counter() - begin

    def memory(self) -> dict[str, float]:
        """Resident MB of agent and ApplicationMaster while a program runs and the page is up."""
        go = self.folder / "go"
        go.unlink(missing_ok=True)
        up = self.folder / "up"
        up.unlink(missing_ok=True)
        process = self.submit("--", "bash", "-c", f"touch {up}; while [ ! -e {go} ]; do sleep 0.1; done")
        try:
            wait_for(up.exists)
            wait_for(lambda: self._page_is_up())
            return {part: self._resident(part) for part in ("agent", "am")}
        finally:
            go.touch()
            check(process)

    def _page_is_up(self) -> bool:
        files = self.folder.glob("local/staging/*/am-1.json")
        return any(json.loads(path.read_text()).get("page") for path in files)

    def _resident(self, part: str) -> float:
        here = str(self.folder)
        for process in psutil.process_iter():
            try:
                if process.cmdline()[-1:] == [part] and process.cwd().startswith(here):
                    return process.memory_info().rss / 1e6
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        raise RuntimeError(f"no process of the {part}")


def check(process: subprocess.Popen[bytes]) -> None:
    code = process.wait(DEADLINE)
    if code != 0:
        raise RuntimeError(f"the job ended with exit code {code}")


def wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not what():
        if time.monotonic() > deadline:
            raise RuntimeError("waited in vain")
        time.sleep(0.05)


def baseline() -> float:
    """Seconds to start a Python that imports grpc."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import grpc"], check=True)
    return time.perf_counter() - begin


def figure(name: str, unit: str, goal: float | None, values: list[float], base: float | None) -> Figure:
    median = statistics.median(values)
    ratio = median / base if base else None
    return Figure(name, unit, goal, min(values), median, max(values), ratio)


def measure(runs: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="xlearning-bench-") as name:
        bench = Bench(Path(name))
        check(bench.submit("--", "true"))  # warms the page cache
        starts, lines, jobs, agents, masters = [], [], [], [], []
        for _ in range(runs):
            starts.append(baseline())
            lines.append(bench.first_line())
            jobs.append(bench.empty_job())
            resident = bench.memory()
            agents.append(resident["agent"])
            masters.append(resident["am"])
    base = statistics.median(starts)
    return [
        figure("baseline: start Python and import grpc", "s", None, starts, base),
        figure("xl-submit to first user line", "s", 1.0, lines, base),
        figure("whole empty job", "s", 2.0, jobs, base),
        figure("agent resident", "MB", 45.0, agents, None),
        figure("ApplicationMaster resident, page up", "MB", 80.0, masters, None),
    ]


def table(figures: list[Figure]) -> str:
    rows = [("quantity", "unit", "goal", "min", "median", "max", "x baseline")]
    for f in figures:
        goal = "" if f.goal is None else f"{f.goal:g}"
        ratio = "" if f.ratio is None else f"{f.ratio:.1f}"
        numbers = (f"{f.minimum:.2f}", f"{f.median:.2f}", f"{f.maximum:.2f}")
        rows.append((f.name, f.unit, goal, *numbers, ratio))
    head = "| " + " | ".join(rows[0]) + " |"
    rule = "|" + "---|" * len(rows[0])
    return "\n".join([head, rule, *("| " + " | ".join(row) + " |" for row in rows[1:])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    figures = measure(options.runs)
    out = ROOT / "bench" / "out"
    out.mkdir(parents=True, exist_ok=True)
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()}
    record = {"machine": machine, "runs": options.runs, "figures": [asdict(f) for f in figures]}
    (out / "local.json").write_text(json.dumps(record, indent=2) + "\n")
    print(f"{options.runs} runs, {machine['cores']} cores, Python {machine['python']}\n\n{table(figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
