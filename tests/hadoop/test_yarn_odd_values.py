"""Values that quoting spoils easily, and a user with an odd name, on a real YARN."""

from __future__ import annotations

from odd_values import OddValues
from places import Place
from yarn_gateway import YarnGateway


def test_odd_values_arrive(place: Place, gateway: YarnGateway) -> None:
    odd = OddValues(gateway.work, place.at("out, é"), yarn=True)
    ended = gateway.submit(*odd.words())
    assert ended.code == 0, ended.err
    odd.check(place.read(f"out, é/{odd.local}/raw.json").decode())
    assert gateway.application(ended.app_id)["name"] == odd.name
    gateway.nothing_is_left_of(ended.app_id)
