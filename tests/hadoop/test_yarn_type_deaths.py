"""A worker of each type dies on a real YARN, while all others would wait for it: jobs side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import frameworks
import pytest
from places import Place
from side_by_side import side_by_side
from yarn_gateway import YarnGateway, settled

DIES = 'test "$INDEX" = 1 || exec sleep 600; echo "no space left on device" >&2; kill -9 $$'
WITH_PS = ("--ps-num", 1)


def tracker() -> tuple[object, ...]:
    return ("--conf", f"xlearning.xgboost.python={frameworks.python('boosting')}")


OPTIONS: dict[str, Callable[[], tuple[object, ...]]] = {
    "TENSORFLOW": lambda: WITH_PS,
    "DISTTORCH": tuple,
    "DISTXGBOOST": tracker,
    "DISTLIGHTGBM": tuple,
    "MXNET": lambda: WITH_PS,
    "LIGHTLDA": lambda: WITH_PS,
    "MPI": tuple,
    "XFLOW": lambda: WITH_PS,
    "TENSOR2TENSOR": lambda: WITH_PS,
    "TENSORNET": tuple,
    "HOROVOD": tuple,
}
SOME = tuple(OPTIONS)[:7]
ALIKE = tuple(OPTIONS)[7:]


def dies(app_type: str, place: Place, gateway: YarnGateway) -> None:
    """The job fails at once with the name and last line of that worker; nothing is left or published."""
    output = app_type.lower()
    ended = gateway.submit(
        *("--app-type", app_type, "--worker-num", 2, *OPTIONS[app_type](), "--board-enable", "false"),
        *("--conf", "xlearning.scheduler.memory=512", "--output", f"{place.at(output)}#model"),
        *("--", "bash", "-c", DIES),
    )
    assert ended.code == 2, ended.err
    _, first, about = ended.err.partition("First to fail: worker:1 (container_")
    assert first, ended.err
    assert "| no space left on device" in about, ended.err
    assert gateway.application(ended.app_id)["finalStatus"] == "FAILED"
    assert not place.exists(output)
    settled(gateway, ended.app_id)


@pytest.mark.parametrize("types", [SOME, pytest.param(ALIKE, marks=pytest.mark.large)], ids=["some", "alike"])
def test_a_worker_that_dies(
    types: tuple[str, ...], place: Place, gateways: Callable[[], YarnGateway]
) -> None:
    side_by_side({app_type: partial(dies, app_type, place, gateways()) for app_type in types})
