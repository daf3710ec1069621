"""GPUs: who gets which, who sees none, and what is told of their use."""

from __future__ import annotations

import dataclasses
import types
from pathlib import Path
from typing import Any

import pytest

from xlearning.cluster.gpus import Pool, hidden_gpus, of_this_machine
from xlearning.config import Config
from xlearning.container import gpus as figures
from xlearning.job import PS, WORKER, GpuView, JobSpec, RoleSpec
from xlearning.proto import convert
from xlearning.proto import xlearning_pb2 as pb
from xlearning.webui.view import gpus_text

GIB = 1 << 30


def test_roles_without_gpus_see_none_where_others_have_some() -> None:
    roles = (RoleSpec(PS, 1, 1024, 1), RoleSpec(WORKER, 2, 1024, 1))
    job = JobSpec("", "n", "T", "alice", ("x",), roles, "", "hdfs://nn:1")
    config = Config.from_properties({"xlearning.worker.gpus": "1"})
    assert [hidden_gpus(job, role, config) for role in roles] == [{"CUDA_VISIBLE_DEVICES": ""}, {}]
    assert hidden_gpus(job, roles[0], Config.from_properties({})) == {}


def test_the_machine_has_what_the_variable_or_the_driver_says(tmp_path: Path) -> None:
    assert of_this_machine({"CUDA_VISIBLE_DEVICES": "3, GPU-a"}, tmp_path) == ("3", "GPU-a")
    assert of_this_machine({"CUDA_VISIBLE_DEVICES": ""}, tmp_path) == ()
    assert of_this_machine({"CUDA_VISIBLE_DEVICES": "-1"}, tmp_path) == ()
    assert of_this_machine({}, tmp_path / "none") == ()
    for name in ("0000:01:00.0", "0000:02:00.0"):
        (tmp_path / name).mkdir()
    assert of_this_machine({}, tmp_path) == ("0", "1")


def test_a_pool_never_gives_a_device_twice() -> None:
    pool = Pool(("0", "1", "2"))
    assert pool.take("a", 2) == ("0", "1")
    assert (pool.has(1), pool.has(2)) == (True, False)
    assert pool.take("b", 1) == ("2",)
    pool.give_back("a")
    assert pool.take("c", 1) == ("0",)
    assert Pool(()).has(4)
    assert Pool(()).take("a", 4) == ()


class NvmlError(Exception):
    """As that of pynvml."""


def nvml(*, closed: int | None = None) -> Any:
    """A stand-in for pynvml on a node of three GPUs, of which YARN may keep one from the container."""

    def handle(number: int) -> int:
        if number == closed:
            raise NvmlError("Insufficient Permissions")
        return number

    return types.SimpleNamespace(
        NVMLError=NvmlError,
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: 3,
        nvmlDeviceGetHandleByIndex=handle,
        nvmlDeviceGetUUID=lambda number: f"GPU-{number}{number}",
        nvmlDeviceGetMemoryInfo=lambda number: types.SimpleNamespace(used=number * GIB, total=16 * GIB),
        nvmlDeviceGetUtilizationRates=lambda number: types.SimpleNamespace(gpu=10 * number),
    )


@pytest.mark.parametrize(
    ("visible", "ids"),
    [(None, ("GPU-00", "GPU-22")), ("2", ("GPU-22",)), ("GPU-0,1", ("GPU-00",)), ("", ())],
)
def test_a_container_is_told_of_its_own_gpus(visible: str | None, ids: tuple[str, ...]) -> None:
    assert figures.GpuMeter(nvml(closed=1), visible).ids == ids


def test_use_goes_to_the_master(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures.libraries, "available", lambda _: True)
    monkeypatch.setattr(figures.libraries, "load", lambda _: nvml())
    meter = figures.find({"CUDA_VISIBLE_DEVICES": "1,2"})
    assert meter is not None
    sample = meter.sample()
    assert sample == (
        GpuView("GPU-11", 1, 10.0, GIB, 16 * GIB),
        GpuView("GPU-22", 2, 20.0, 2 * GIB, 16 * GIB),
    )
    beat = pb.Beat(gpus=[pb.Gpu(**dataclasses.asdict(one)) for one in sample])
    name, fields = convert.to_event_fields(pb.AgentMessage(beat=beat))
    assert (name, fields["gpus"]) == ("Beat", sample)


def test_the_page_tells_it_in_words() -> None:
    two = (GpuView("a", 0, 86.5, 12 * GIB, 40 * GIB), GpuView("b", 3, 0.0, 0, 40 * GIB))
    assert gpus_text(two) == "GPU 0: 87 %, 12 GiB of 40 GiB; GPU 3: 0 %, 0 B of 40 GiB"


def test_without_a_driver_there_are_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise NvmlError("NVML Shared Library Not Found")

    broken = nvml()
    broken.nvmlInit = fail
    monkeypatch.setattr(figures.libraries, "available", lambda _: True)
    monkeypatch.setattr(figures.libraries, "load", lambda _: broken)
    assert figures.find({}) is None
