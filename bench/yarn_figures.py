"""All figures of jobs on YARN, on a one-node Hadoop that is started for them."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from figures import Figure, figure
from minihadoop import MiniHadoop, missing_tools
from timeline import Timeline
from yarn import YarnBench, kill_agent, kill_container

DURATIONS = (1, 2, 4, 6, 7, 8, 10)  # seconds; a tail that follows some heartbeat shows over these
SETTINGS = (
    "Hadoop with one NodeManager (16 GB and 32 cores offered), node heartbeats every 0.2 s, off-switch "
    "limit 100, everything on one host; containers of 512 MB, ApplicationMaster 512 MB beside skein's "
    "256 MB; the package for the nodes is in HDFS and unpacked on the node. Ratios are to skein alone: "
    "the same driver and JVM flags, two or eight declared containers that connect to the "
    "ApplicationMaster script and end. A goal `beyond` is about the difference to it"
)
_PARTS = (
    "driver up",
    "submitted",
    "AM script starts",
    "AM running",
    "first container starts",
    "last container starts",
    "first user line",
    "first line of the last program",
)


@contextmanager
def cluster(given: str) -> Iterator[MiniHadoop]:
    """A fresh one-node Hadoop; or the one that is up in the folder ``given``."""
    if given:
        yield MiniHadoop(given)
        return
    with (
        tempfile.TemporaryDirectory(prefix="xlearning-bench-hadoop-") as name,
        MiniHadoop(name, nodes=1) as up,
    ):
        yield up


def measure(hadoop: MiniHadoop, runs: int, cases: Sequence[str], say: Callable[[str], None]) -> list[Figure]:
    """All figures of ``cases`` (jobs, empty, failures).

    Parameters
    ----------
    runs : int
        Of each empty job and each failure; every duration is run once.
    """
    with tempfile.TemporaryDirectory(prefix="xlearning-bench-") as name:
        bench = YarnBench(hadoop, Path(name))
        say("warming up")
        bench.job(2, 0)
        bench.floor(2)
        floors: list[Timeline] = []
        found: list[Figure] = []
        if "jobs" in cases or "empty" in cases:
            found += _empty(bench, runs, floors, say)
        if "jobs" in cases:
            found = _jobs(bench, floors, say) + found
        if "failures" in cases:
            found += _failures(bench, runs, say)
        return found


def _empty(bench: YarnBench, runs: int, floors: list[Timeline], say: Callable[[str], None]) -> list[Figure]:
    found = []
    for workers in (2, 8):
        walls, bases = [], []
        for run in range(runs):
            say(f"empty job of {workers} workers, {run + 1} of {runs}, in turns with skein alone")
            bases.append(bench.floor(workers))
            walls.append(bench.job(workers, 0).wall)
        if workers == 2:
            floors += bases
        base = statistics.median(line.wall for line in bases)
        found += [
            figure(f"skein alone: wall, {workers} containers", "s", [line.wall for line in bases]),
            figure(
                f"wall of an empty job, {workers} workers", "s", walls, goal=1.5, base=base, limit="beyond"
            ),
        ]
    return found


def _jobs(bench: YarnBench, floors: Sequence[Timeline], say: Callable[[str], None]) -> list[Figure]:
    timelines, weights = [], None
    for seconds in DURATIONS:
        say(f"two programs of {seconds} s")
        if seconds == max(DURATIONS):
            timeline, weights = bench.weighed(seconds)
        else:
            timeline = bench.job(2, seconds)
        timelines.append(timeline)
    assert weights is not None
    found = []
    for part in _PARTS:
        goal = 1.5 if part == "first user line" else None
        base = statistics.median(line.marks[part] for line in floors)
        values = [line.marks[part] for line in timelines]
        found.append(
            figure(f"start -> {part}", "s", values, goal=goal, base=base, limit="beyond" if goal else "")
        )
    base = statistics.median(line.tail for line in floors)
    tails = [line.tail for line in timelines]
    found.append(figure("last program's end -> client's end, all durations", "s", tails, goal=1.0, base=base))
    found += [
        figure(f"the same for programs of {seconds} s", "s", [tail], goal=1.0, base=base)
        for seconds, tail in zip(DURATIONS, tails, strict=True)
    ]
    say("two programs of 2 s with an output")
    outputs = [bench.output(2).tail for _ in range(2)]
    found.append(figure("the same for programs of 2 s with an output", "s", outputs, goal=1.0, base=base))
    return [
        *found,
        figure("status of a running job", "s", bench.status(5), goal=1.0),
        figure("ApplicationMaster resident, page up", "MB", [weights.am], goal=80),
        figure("ApplicationMaster idle", "% of a core", [weights.am_idle], goal=2),
        figure("agent resident", "MB", weights.agents, goal=45),
        figure("agent idle", "% of a core", [weights.agent_idle]),
        figure("skein's JVM resident", "MB", [weights.jvm]),
    ]


def _failures(bench: YarnBench, runs: int, say: Callable[[str], None]) -> list[Figure]:
    cases: tuple[tuple[str, float, Callable[[], float]], ...] = (
        ("a program exits 1 -> client's end", 2.0, bench.exit_one),
        ("an agent is killed -> client's end", 2.5, lambda: bench.killed(kill_agent)),
        ("a container is killed -> client's end", 3.0, lambda: bench.killed(kill_container)),
    )
    found = []
    for name, goal, case in cases:
        say(f"{name}, {runs} times")
        found.append(figure(name, "s", [case() for _ in range(runs)], goal=goal))
    return found


__all__ = ["SETTINGS", "cluster", "measure", "missing_tools"]
