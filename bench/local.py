"""Local jobs: how long they take to start and end, and what agent and ApplicationMaster weigh.

Times are also given as a ratio to the start of a Python that imports grpc, taken in the same run.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from figures import Figure, figure
from processes import parts, resident, wait_for

SUBMIT = Path(sys.executable).parent / "xl-submit"
_DEADLINE = 60.0  # seconds


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

    def running(self) -> dict[str, float]:
        """Of a job with its page up: resident MB of agent and ApplicationMaster, seconds of a status."""
        go = self.folder / "go"
        go.unlink(missing_ok=True)
        up = self.folder / "up"
        up.unlink(missing_ok=True)
        process = self.submit("--", "bash", "-c", f"touch {up}; while [ ! -e {go} ]; do sleep 0.1; done")
        try:
            wait_for(up.exists, _DEADLINE)
            wait_for(self._page_is_up, _DEADLINE)
            here = str(self.folder)
            weights = {part: resident(parts(here, part)[0]) for part in ("agent", "am")}
            return weights | {"status": status(self.environ, "last", "--local")}
        finally:
            go.touch()
            check(process)

    def _page_is_up(self) -> bool:
        files = self.folder.glob("local/staging/*/am-1.json")
        return any(json.loads(path.read_text()).get("page") for path in files)


def status(environ: Mapping[str, str], *words: str) -> float:
    """Seconds of an `xl-submit status`."""
    begin = time.perf_counter()
    subprocess.run([str(SUBMIT), "status", *words], env=environ, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def check(process: subprocess.Popen[bytes]) -> None:
    """Wait for a good end."""
    code = process.wait(_DEADLINE)
    if code != 0:
        raise RuntimeError(f"the job ended with exit code {code}")


def baseline() -> float:
    """Seconds to start a Python that imports grpc."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import grpc"], check=True)
    return time.perf_counter() - begin


def measure(runs: int, say: Callable[[str], None]) -> list[Figure]:
    """All figures of local jobs."""
    with tempfile.TemporaryDirectory(prefix="xlearning-bench-") as name:
        bench = Bench(Path(name))
        say(f"local jobs, {runs} runs")
        check(bench.submit("--", "true"))  # warms the page cache
        starts, lines, jobs, agents, masters, told = [], [], [], [], [], []
        for _ in range(runs):
            starts.append(baseline())
            lines.append(bench.first_line())
            jobs.append(bench.empty_job())
            weights = bench.running()
            agents.append(weights["agent"])
            masters.append(weights["am"])
            told.append(weights["status"])
    base = statistics.median(starts)
    return [
        figure("baseline: start Python and import grpc", "s", starts, base=base),
        figure("xl-submit to first user line", "s", lines, goal=1.0, base=base),
        figure("whole empty job", "s", jobs, goal=2.0, base=base),
        figure("status of a running job", "s", told, goal=1.0, base=base),
        figure("agent resident", "MB", agents, goal=45.0),
        figure("ApplicationMaster resident, page up", "MB", masters, goal=80.0),
    ]
