"""Two hosts with a network between them, and one on each that leads nowhere, as Docker makes it.

Their addresses in the latter are the same. Namespaces of the network stand for hosts, which takes root.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import frameworks
import pytest

from xlearning.cluster import credentials
from xlearning.config import Config
from xlearning.frameworks import framework
from xlearning.frameworks.base import AGENT_PYTHON, Crew
from xlearning.job import SCHEDULER, WORKER, JobSpec, Member, Task

ADDRESSES = ("10.77.0.1", "10.77.0.2")
pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(os.getuid() != 0, reason="only root may make namespaces of the network"),
]

_ASK = """
from xlearning.container.interface import interface_to
from xlearning.container.ports import reserve
print(*(interface_to(host) for host in ("10.77.0.2", "10.77.0.1", "172.17.0.9", "192.0.2.1")))
(port,) = reserve("10.77.0.1", 1, 20000, 20010)
print(port.ip)
port.release()
"""

_SUM = """
from mpi4py import MPI
world = MPI.COMM_WORLD
print("sum", world.allreduce(world.rank + 1), "by", world.rank, "of", world.size)
"""


class Host:
    """A namespace that lives as long as its process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo made; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.process.stdout.readline()

    def inside(self, *words: object) -> list[str]:
        return ["nsenter", "--net", f"--target={self.process.pid}", *map(str, words)]

    def run(self, *words: object) -> str:
        done = subprocess.run(self.inside(*words), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def hosts() -> Iterator[list[Host]]:
    if subprocess.run(["unshare", "--net", "ip", "link"], capture_output=True).returncode:
        pytest.skip("this machine makes no namespaces of the network")
    hosts = [Host(), Host()]
    pids = [host.process.pid for host in hosts]
    link = ["ip", "link", "add", "lan0", "netns", pids[0], "type", "veth", "peer", "lan0", "netns", pids[1]]
    try:
        subprocess.run(list(map(str, link)), check=True)
        for host, address in zip(hosts, ADDRESSES, strict=True):
            host.run("ip", "link", "add", "docker0", "type", "veth", "peer", "docker1")
            host.run("ip", "address", "add", f"{address}/24", "dev", "lan0")
            host.run("ip", "address", "add", "172.17.0.1/16", "dev", "docker0")
            for name in ("lo", "docker0", "docker1", "lan0"):
                host.run("ip", "link", "set", name, "up")
            host.run("ip", "route", "add", "default", "via", "172.17.0.2")
        yield hosts
    finally:
        for host in hosts:
            host.process.communicate("")


def test_the_interface_is_the_one_that_leads_to_the_others(hosts: list[Host]) -> None:
    said = hosts[0].run(sys.executable, "-c", _ASK).splitlines()
    assert said == ["lan0 lan0 docker0 docker0", "10.77.0.1"]


def test_ranks_of_mpi_meet_by_the_network_that_they_share(hosts: list[Host], tmp_path: Path) -> None:
    python = str(frameworks.python("mpi"))
    (tmp_path / "sum.py").write_text(_SUM)
    credentials.create(tmp_path)
    config, type_ = Config.from_properties({}), framework("MPI")
    members = tuple(Member(address, (21000,), address) for address in ADDRESSES)
    cluster = {SCHEDULER: members[:1], WORKER: members}
    job = JobSpec(
        **{
            "app_id": "",
            "app_name": "",
            "app_type": "MPI",
            "user": "",
            "staging": "",
            "default_fs": "file://",
        },
        command=(python, str(tmp_path / "sum.py")),
        roles=type_.roles(Crew(2, 0, False), config),
    )
    started = []
    for place, host in (((SCHEDULER, 0), 0), ((WORKER, 0), 0), ((WORKER, 1), 1)):
        folder = tmp_path / f"{place[0]}-{place[1]}"
        setup = type_.setup(job, config, Task(*place, 1), cluster)
        for name, text in setup.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (folder / "tmp").mkdir()
        words = [sys.executable if word == AGENT_PYTHON else word for word in setup.command]
        environ = {**os.environ, **setup.env, "XLEARNING_CREDENTIALS": str(tmp_path)}
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            started.append(
                subprocess.Popen(
                    hosts[host].inside(*words),
                    **{"cwd": folder, "env": environ, "stdout": out, "stderr": err},
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )
            )
    try:
        codes = [process.wait(120) for process in started]
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert codes == [0, 0, 0], [path.read_text() for path in tmp_path.glob("*/err")]
    assert (tmp_path / "worker-0" / "out").read_text() == "sum 3 by 0 of 2\n"
    assert (tmp_path / "worker-1" / "out").read_text() == "sum 3 by 1 of 2\n"
