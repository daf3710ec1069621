"""What YARN's machines do to jobs: a NodeManager dies, a host has few ports, HDFS stands still."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from places import Place
from side_by_side import side_by_side
from submitting import PROGRAMS, wait_for
from yarn_gateway import YarnGateway, processes_of, settled

ACT = PROGRAMS / "act.py"
Gateways = Callable[[], YarnGateway]

# The program proves that its own port can be listened on.
_LISTENS = """
import json, os, socket
config = json.loads(os.environ["TF_CONFIG"])
task = config["task"]
host, _, port = config["cluster"][task["type"]][task["index"]].rpartition(":")
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind((host, int(port)))
listener.listen()
open("output/cluster", "w").write(json.dumps(config["cluster"]))
"""


def home_of(hadoop: MiniHadoop, gateway: YarnGateway, app_id: str) -> int:
    """Number of the NodeManager that runs an ApplicationMaster."""
    port = int(gateway.application(app_id)["amHostHttpAddress"].rpartition(":")[2])
    ports = hadoop.state().ports
    return next(n for n in range(hadoop.nodes) if ports[f"nodemanager{n}.http"] == port)


def test_a_node_manager_dies(hadoop: MiniHadoop, place: Place, gateways: Gateways) -> None:
    """Nobody else ends what ran on its node. One job loses a worker there and goes on, one its AM."""
    survivor, victim = gateways(), gateways()
    go = survivor.root / "go"
    first = survivor.start(
        *("--worker-num", 2, "--worker-memory", "5000M", "--board-enable", "false"),
        *("--conf", "xlearning.container.maxFailures.rate=0.9", "--output", f"{place.at('out')}#output"),
        *("--", sys.executable, ACT, "ignore-term", "fork", "write:output/x=1", f"wait:{go}"),
    )
    first_id = survivor.submitted(first)
    first.said("worker: 2 running")
    home = home_of(hadoop, survivor, first_id)
    # so much memory is left on the other node only
    second = victim.start(
        *("--conf", "xlearning.am.memory=2500", "--worker-memory", "256M", "--board-enable", "false"),
        *("--output", f"{place.at('lost')}#output"),
        *("--", sys.executable, ACT, "ignore-term", "fork", "wait:never"),
    )
    second_id = victim.submitted(second)
    second.said("worker: 1 running")
    assert home_of(hadoop, victim, second_id) != home
    hadoop.stop(f"nodemanager{1 - home}", kill=True)
    try:

        def goes_on() -> None:
            first.said(" LOST: ")
            go.touch()
            ended = first.end()
            assert ended.code == 0, ended.err
            assert "although 1 of its containers failed" in ended.err
            assert "lost" in ended.err
            assert len(place.tree("out")) == 2

        def fails() -> None:
            ended = second.end()
            assert ended.code == 2, ended.err
            assert "node" in ended.err
            assert not place.exists("lost")

        side_by_side({"goes_on": goes_on, "fails": fails})
        for app_id in (first_id, second_id):
            wait_for(lambda app_id=app_id: not processes_of(app_id), message=f"left: {processes_of(app_id)}")  # type: ignore[misc]
    finally:
        hadoop.start(f"nodemanager{1 - home}")
    settled(survivor, first_id)
    settled(victim, second_id)


@pytest.mark.parametrize(
    ("workers", "free"),
    [(3, 6), pytest.param(38, 60, marks=[pytest.mark.large, pytest.mark.timeout(900)])],
    ids=["5of6", "40of60"],
)
def test_one_host_with_few_ports(workers: int, free: int, place: Place, gateways: Gateways) -> None:
    """Small containers side by side, each with a port of its own out of a small range; or a clear word."""

    # above what the jobs of others are given, and below what outgoing connections get
    begins = {"enough": free_range(free, 30000)}
    begins["few"] = free_range(free, begins["enough"] + free)

    def submit(name: str, count: int) -> tuple[YarnGateway, object]:
        gateway, begin = gateways(), begins[name]
        gateway.properties |= {
            "xlearning.reserve.port.begin": str(begin),
            "xlearning.reserve.port.end": str(begin + free),
            "xlearning.worker.memory": "128",
            "xlearning.ps.memory": "128",
        }
        (gateway.work / "listens.py").write_text(_LISTENS)
        script = f"{sys.executable} listens.py && test $TF_ROLE = worker || exec sleep 600"
        return gateway, gateway.submit(
            *("--app-type", "TENSORFLOW", "--ps-num", 2, "--worker-num", count, "--board-enable", "false"),
            *("--output", f"{place.at(name)}#output", "--files", gateway.work / "listens.py"),
            *("--", "bash", "-c", script),
        )

    def enough() -> None:
        gateway, ended = submit("enough", workers)
        assert ended.code == 0, ended.err
        names = [name for name in place.tree("enough") if name.endswith("cluster")]
        assert len(names) == workers + 2
        clusters = {place.read(f"enough/{name}") for name in names[:5]}
        assert len(clusters) == 1
        addresses = [address for group in json.loads(clusters.pop()).values() for address in group]
        assert len(set(addresses)) == len(addresses) == workers + 2
        settled(gateway, ended.app_id)

    def too_few() -> None:
        gateway, ended = submit("few", free - 1)
        assert ended.code == 2, ended.err
        assert "ports are free" in ended.err
        assert "xlearning.reserve.port.begin" in ended.err
        settled(gateway, ended.app_id)

    side_by_side({"enough": enough, "too_few": too_few}, at_once=1 if workers > 10 else 2)


def free_range(size: int, begin: int) -> int:
    """Start of ``size`` neighbouring ports from ``begin`` on that nobody has."""
    while not all(is_free(port) for port in range(begin, begin + size)):
        begin += size
    return begin


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
        return True


@pytest.mark.parametrize("outage", [8.0, pytest.param(20.0, marks=pytest.mark.large)], ids=["8s", "20s"])
def test_hdfs_stands_still(outage: float, hadoop: MiniHadoop, place: Place, gateways: Gateways) -> None:
    """During a download, and during uploads and commit: jobs wait for it and go on."""
    place.write("big", bytes(64 << 20))
    loading, ending = gateways(), gateways()
    go = Path(ending.root) / "go"
    second = ending.start(
        *("--worker-num", 3, "--board-enable", "false", "--output", f"{place.at('out')}#output"),
        *("--", sys.executable, ACT, "write:output/x=1", f"wait:{go}"),
    )
    second.said("worker: 3 running")
    first = loading.start(
        *("--board-enable", "false", *[f"--input={place.at('big')}#d{n}" for n in range(20)]),
        *("--conf", "xlearning.download.file.thread.nums=1", "--output", f"{place.at('sum')}#output"),
        *("--", "bash", "-c", "cat d*/* | wc -c > output/bytes"),
    )
    first.said("preparing")
    hadoop.pause("hdfs")
    try:
        go.touch()
        # the time itself is what the jobs must bear
        threading.Event().wait(outage)
    finally:
        hadoop.resume("hdfs")
    ends = [first.end(), second.end()]
    assert [ended.code for ended in ends] == [0, 0], ends[0].err + ends[1].err
    assert int(place.read("sum/output/bytes")) == 20 * 64 << 20
    assert len(place.tree("out")) == 4
    for gateway, ended in zip((loading, ending), ends, strict=True):
        settled(gateway, ended.app_id)
