"""Which network interface leads to a host."""

from __future__ import annotations

import socket
from pathlib import Path

import psutil
import pytest

from xlearning.container.interface import interface_to


def test_this_machine_is_reached_by_loopback() -> None:
    assert interface_to("127.0.0.1") == "lo"
    assert interface_to("localhost") == "lo"


def test_an_address_of_this_machine_is_reached_by_its_interface() -> None:
    for name, addresses in psutil.net_if_addrs().items():
        for one in addresses:
            if one.family == socket.AF_INET and one.address and psutil.net_if_stats()[name].isup:
                assert interface_to(one.address) == name


def test_another_machine_is_reached_by_the_default_route() -> None:
    routes = [line.split() for line in Path("/proc/net/route").read_text().splitlines()[1:]]
    default = {fields[0] for fields in routes if fields[1] == "00000000"}
    found = interface_to("198.51.100.7")  # an address that is nobody's; nothing is sent
    assert found in default if default else found is None


def test_a_host_without_address(caplog: pytest.LogCaptureFixture) -> None:
    assert interface_to("no-such-host.invalid") is None
    assert "no-such-host.invalid" in caplog.text
