"""Ports set aside: different for everybody, and of use to real programs."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from xlearning.container.ports import HeldPort, reserve
from xlearning.errors import XLearningError

HOST = "127.0.0.1"
# Not where agents take ports by default: one of a job beside this test would take what was let go here.
BEGIN, END = 30500, 32500

AGENTS = """
import sys
from xlearning.container.ports import reserve
held = [reserve("127.0.0.1", 2, 30500, 32500) for _ in range(int(sys.argv[1]))]
print(*(one.port for pair in held for one in pair), flush=True)
sys.stdin.read()
for pair in held:
    for one in pair:
        one.release()
"""

LISTEN = """
import socket, sys
server = socket.socket(socket.AF_INET if sys.argv[1] != "::" else socket.AF_INET6)
server.setsockopt(socket.SOL_SOCKET, getattr(socket, sys.argv[3]), 1)
server.bind((sys.argv[1], int(sys.argv[2])))
server.listen()
print("ready", flush=True)
server.accept()[0].sendall(b"hello")
"""

GRPC = """
import sys
from concurrent import futures
import grpc
server = grpc.server(futures.ThreadPoolExecutor(1), options=[("grpc.so_reuseport", int(sys.argv[3]))])
assert server.add_insecure_port(f"{sys.argv[1]}:{sys.argv[2]}") == int(sys.argv[2])
server.start()
print("ready", flush=True)
sys.stdin.read()
server.stop(None).wait()
"""


def python(code: str, *args: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def held() -> Iterator[HeldPort]:
    (port,) = reserve(HOST, 1, BEGIN, END)
    yield port
    port.release()


def test_agents_side_by_side_never_share_a_port() -> None:
    agents = [python(AGENTS, 25) for _ in range(8)]
    ports: list[str] = []
    for agent in agents:
        assert agent.stdout is not None
        ports += agent.stdout.readline().split()
    for agent in agents:
        agent.communicate("")
        assert agent.returncode == 0
    assert len(ports) == 400
    assert len(set(ports)) == 400
    assert all(BEGIN <= int(port) < END for port in ports)


LISTENING = """
import socket, sys
from xlearning.container.ports import reserve
held = [reserve("127.0.0.1", 1, 30500, 32500)[0] for _ in range(20)]
servers = []
for port in held:
    port.lend()
    servers.append(socket.socket())
    servers[-1].bind(("0.0.0.0", port.port))
    servers[-1].listen()
print(*(one.port for one in held), flush=True)
sys.stdin.read()
for port, server in zip(held, servers):
    server.close()
    port.release()
"""


def test_two_jobs_of_twenty_containers_whose_programs_listen_without_options() -> None:
    jobs = [python(LISTENING) for _ in range(2)]
    ports = [port for job in jobs if job.stdout for port in job.stdout.readline().split()]
    for job in jobs:
        job.communicate("")
        assert job.returncode == 0
    assert len(set(ports)) == 40


def test_a_lent_port_stays_locked_against_other_agents(held: HeldPort) -> None:
    held.lend()
    with pytest.raises(XLearningError, match="only 0 of 1 ports are free"):
        reserve(HOST, 1, held.port, held.port + 1)
    with socket.socket() as server:
        server.bind((HOST, held.port))
    held.release()
    (again,) = reserve(HOST, 1, held.port, held.port + 1)
    again.release()


@pytest.mark.parametrize("option", ["SO_REUSEADDR", "SO_REUSEPORT"])
@pytest.mark.parametrize("address", [HOST, "0.0.0.0", "::"])
def test_program_that_sets_an_option_can_listen(held: HeldPort, address: str, option: str) -> None:
    with python(LISTEN, address, held.port, option) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        with socket.create_connection((HOST, held.port), 20) as client:
            assert client.recv(5) == b"hello"


@pytest.mark.parametrize("reuse", [0, 1])
@pytest.mark.parametrize("address", [HOST, "[::]"])
def test_grpc_can_listen(held: HeldPort, address: str, reuse: int) -> None:
    with python(GRPC, address, held.port, reuse) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        socket.create_connection((HOST, held.port), 20).close()
        program.communicate("")
    assert program.returncode == 0


def test_nobody_else_gets_a_held_port_without_asking(held: HeldPort) -> None:
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind((HOST, held.port))
    assert held.port not in [port.port for port in released(reserve(HOST, 50, BEGIN, END))]


def test_released_port_is_free_for_programs_that_set_nothing(held: HeldPort) -> None:
    held.release()
    held.release()
    with socket.socket() as other:
        other.bind((HOST, held.port))
    assert released(reserve(HOST, 1, held.port, held.port + 1))[0].port == held.port


@pytest.mark.parametrize("option", [None, socket.SO_REUSEADDR, socket.SO_REUSEPORT])
@pytest.mark.parametrize("address", [HOST, "127.0.0.2", "0.0.0.0"])
def test_port_with_a_listener_is_skipped(held: HeldPort, address: str, option: int | None) -> None:
    held.release()
    with socket.socket() as server:
        if option is not None:
            server.setsockopt(socket.SOL_SOCKET, option, 1)
        server.bind((address, held.port))
        server.listen()
        with pytest.raises(XLearningError, match="only 0 of 1 ports"):
            reserve(HOST, 1, held.port, held.port + 1)


def test_exhausted_range_is_named_and_nothing_stays_held(held: HeldPort) -> None:
    held.release()
    with pytest.raises(XLearningError) as error:
        reserve(HOST, 2, held.port, held.port + 1)
    assert f"only 1 of 2 ports are free on {HOST} in {held.port} to {held.port}" in str(error.value)
    assert "xlearning.reserve.port.begin" in str(error.value)
    assert "xlearning.reserve.port.end" in str(error.value)
    released(reserve(HOST, 1, held.port, held.port + 1))


@pytest.mark.parametrize(("begin", "end"), [(5, 5), (0, 10), (60000, 65537), (10, 5)])
def test_range_must_be_one(begin: int, end: int) -> None:
    with pytest.raises(XLearningError, match="no range of ports"):
        reserve(HOST, 1, begin, end)


def test_host_must_be_this_machine() -> None:
    with pytest.raises(XLearningError, match=r"no-such-host\.invalid"):
        reserve("no-such-host.invalid", 1, BEGIN, END)
    with pytest.raises(XLearningError, match=r"192\.0\.2\.1"):
        reserve("192.0.2.1", 1, BEGIN, END)


def test_a_name_with_both_kinds_of_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the one of IPv6 comes first, as it does where a network has it: not all programs know it."""
    of_4 = (socket.AF_INET, socket.SOCK_STREAM, 6, "", (HOST, 0))
    of_6 = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 0, 0, 0))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [of_6, of_4])
    (port,) = released(reserve("both", 1, BEGIN, END))
    assert port.ip == HOST


def test_none_is_none() -> None:
    assert reserve(HOST, 0, BEGIN, END) == []


def test_children_do_not_inherit_a_port(held: HeldPort) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False) as child:
        held.release()
        with socket.socket() as other:
            other.bind((HOST, held.port))
        child.communicate(b"")


def released(ports: list[HeldPort]) -> list[HeldPort]:
    for port in ports:
        port.release()
    return ports
