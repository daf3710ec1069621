"""Values that quoting spoils easily, names of users, and jobs that submit jobs, on this machine."""

from __future__ import annotations

from odd_values import OddValues
from submitting import Gateway


def test_odd_values_arrive(gateway: Gateway) -> None:
    odd = OddValues(gateway.work, str(gateway.root / "out, é"), yarn=False)
    ended = gateway.submit(*odd.words())
    assert ended.code == 0, ended.err
    odd.check((gateway.root / "out, é" / odd.local / "raw.json").read_text())
    assert odd.name in gateway.verb("list", "--local").out
    gateway.nothing_is_left()
