"""Single jobs on a real YARN, and the same with skein alone."""

from __future__ import annotations

import json
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import local
import processes
from minihadoop import MiniHadoop
from timeline import Client, Timeline, empty, of_programs, stamps

from xlearning.fs import FileSystems

SUBMIT = Path(sys.executable).parent / "xl-submit"
FLOOR = Path(__file__).with_name("floor.py")
_SITE = {
    "xlearning.staging.dir": "/bench/staging",
    "xlearning.history.log.dir": "/bench/history",
    "xlearning.am.memory": "512",
    "xlearning.worker.memory": "512",
}
_TERM_TO_KILL = 0.25  # seconds, YARN's default


@dataclass(frozen=True)
class Weights:
    """Memory (MB) and processor use (share of a core) while programs run and nothing else happens."""

    am: float
    am_idle: float
    agents: Sequence[float]
    agent_idle: float
    jvm: float


class YarnBench:
    """Measures one job after another on one cluster."""

    def __init__(self, hadoop: MiniHadoop, folder: Path) -> None:
        self._folder, self._stamps = folder, folder / "stamps"
        self._outputs = 0
        conf = folder / "conf"
        conf.mkdir()
        rows = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in _SITE.items())
        (conf / "xlearning-site.xml").write_text(f"<configuration>{rows}</configuration>")
        self._environ = hadoop.env({**os.environ, "XLEARNING_CONF_DIR": str(conf)})
        self._storage = FileSystems(hadoop.hdfs_uri).default
        self._staging = f"{hadoop.hdfs_uri}{_SITE['xlearning.staging.dir']}"

    # ---- single jobs ----------------------------------------------------------------------------

    def job(self, workers: int, seconds: float) -> Timeline:
        """A job whose programs last so long."""
        timeline, _ = self._job(workers, seconds, look=lambda _: None)
        return timeline

    def output(self, seconds: float) -> Timeline:
        """Two programs that last so long and leave a small file each, which is published on HDFS."""
        self._outputs += 1
        remote = f"/bench/output-{os.getpid()}-{self._outputs}"
        program = self._program(f"mkdir -p out; echo a model > out/file; sleep {seconds:g}")
        client = self._start(2, program, "--output", f"{remote}#out")
        wall = client.end(0)
        return Timeline(of_programs(stamps(self._stamps), client.begin), wall)

    def weighed(self, seconds: float) -> tuple[Timeline, Weights]:
        """The same with two workers; what its processes weigh once the page is up."""
        timeline, weights = self._job(2, seconds, look=lambda app: _weigh(app, seconds))
        assert weights is not None
        return timeline, weights

    def floor(self, workers: int) -> Timeline:
        """Empty containers with skein alone."""
        empty(self._stamps)
        words = [sys.executable, str(FLOOR), "submit", str(self._stamps), str(workers)]
        client = Client(words, self._environ, self._folder)
        wall = client.end(0)
        found = stamps(self._stamps)
        containers = [when for name, when in found.items() if name.startswith("container.")]
        times = {
            "submitted": found["submitted"],
            "AM script starts": found["am-script"],
            "AM running": found["am-running"],
            "first container starts": min(containers),
            "last container starts": max(containers),
        }
        marks = {name: when - client.begin for name, when in times.items()}
        marks["driver up"] = client.driver_up or 0.0
        return Timeline(marks | of_programs(found, client.begin), wall)

    def status(self, runs: int) -> list[float]:
        """Seconds of each `xl-submit status` of a job of two workers that runs."""
        client = self._start(2, self._program("sleep 10"))
        app = self._until_all_run(client, 2)
        found = [local.status(self._environ, app) for _ in range(runs)]
        client.end(0)
        return found

    def exit_one(self) -> float:
        """Seconds from the failure of one of two programs to the client's end."""
        program = self._program('[ "$INDEX" = 0 ] || sleep 60; sleep 1; note failed; exit 1')
        client = self._start(2, program)
        wall = client.end(2)
        return client.begin + wall - stamps(self._stamps)["failed.0"]

    def killed(self, strike: Callable[[int], None]) -> float:
        """Seconds from what `strike` does to an agent's process to the client's end."""
        client = self._start(2, self._program("sleep 60"))
        app = self._until_all_run(client, 2)
        agent = processes.parts(app, "agent")[0].pid
        when = time.time()
        strike(agent)
        return client.begin + client.end(2) - when

    # ---- how ------------------------------------------------------------------------------------

    def _job(
        self, workers: int, seconds: float, look: Callable[[str], Weights | None]
    ) -> tuple[Timeline, Weights | None]:
        client = self._start(workers, self._program(f"sleep {seconds:g}" if seconds else ":"))
        marks: dict[str, float] = {}
        weights = None
        if seconds:
            app = self._until_all_run(client, workers)
            agents = [processes.started(agent.pid) for agent in processes.parts(app, "agent")]
            (am,) = processes.parts(app, "am")
            times = {
                "AM script starts": processes.started(am.pid),
                "AM running": self._am_running(app),
                "first container starts": min(agents),
                "last container starts": max(agents),
            }
            marks = {name: when - client.begin for name, when in times.items()}
            weights = look(app)
        wall = client.end(0)
        marks |= {"driver up": client.driver_up or 0.0, "submitted": client.find("Submitted")[0]}
        return Timeline(marks | of_programs(stamps(self._stamps), client.begin), wall), weights

    def _am_running(self, app: str) -> float:
        """When the ApplicationMaster began to take in agents."""
        with self._storage.open_read(f"{self._staging}/{app}/am-1.json") as file:
            return float(json.loads(file.read())["started"])

    def _program(self, words: str) -> str:
        note = f'note() {{ echo "$EPOCHREALTIME" > {self._stamps}/$1.$INDEX; }}'
        return f"export LC_ALL=C; {note}; note first; {words}; note last"

    def _start(self, workers: int, program: str, *more: str) -> Client:
        empty(self._stamps)
        options = ["--worker-num", str(workers), "--board-enable", "false", *more]
        return Client([str(SUBMIT), *options, "--", "bash", "-c", program], self._environ, self._folder)

    def _until_all_run(self, client: Client, workers: int) -> str:
        """Wait for the first line of every program; the part of the application's id that is its own."""

        def there() -> bool:
            if not client.running:
                client.end(0)
            return sum(name.startswith("first.") for name in stamps(self._stamps)) == workers

        try:
            processes.wait_for(there, 120)
        except RuntimeError:
            client.stop()
            raise
        return client.find("Submitted")[1].split()[-1]


def kill_agent(pid: int) -> None:
    """The agent alone dies at once."""
    os.kill(pid, signal.SIGKILL)


def kill_container(pid: int) -> None:
    """What a NodeManager does to a container that it ends: TERM to its group, KILL shortly after."""
    group = os.getpgid(pid)
    os.killpg(group, signal.SIGTERM)
    time.sleep(_TERM_TO_KILL)
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _weigh(app: str, seconds: float) -> Weights:
    """Called when all programs have begun; looks for half of their time."""
    settle, look = 0.25 * seconds, 0.5 * seconds
    time.sleep(settle)
    (am,), agents, (jvm,) = (
        processes.parts(app, "am"),
        processes.parts(app, "agent"),
        processes.skein_jvm(app),
    )
    before = [processes.cpu_seconds(process) for process in (am, *agents)]
    begin = time.monotonic()
    time.sleep(look)
    lasted = time.monotonic() - begin
    used = [
        (processes.cpu_seconds(process) - spent) / lasted
        for process, spent in zip((am, *agents), before, strict=True)
    ]
    return Weights(
        am=processes.resident(am),
        am_idle=100 * used[0],
        agents=[processes.resident(agent) for agent in agents],
        agent_idle=100 * statistics.mean(used[1:]),
        jvm=processes.resident(jvm),
    )
