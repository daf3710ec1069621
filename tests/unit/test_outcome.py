"""How a job has ended is told by what its outputs hold, whatever the back end says of it."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import job_samples as samples
import pytest

from xlearning.client.console import PlainConsole
from xlearning.client.following.follow import Ending
from xlearning.client.following.outcome import Outcome, conclude
from xlearning.client.following.venue import Venue
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.job import AppState, ContainerState, JobSpec, OutputSpec, Snapshot, to_dict

ME = "me"


class Scene:
    """An application that YARN reports as killed, with two outputs."""

    def __init__(self, folder: Path) -> None:
        self.outputs = [folder / "a", folder / "b"]
        self.staging = folder / samples.APP
        specs = tuple(OutputSpec(output.as_uri(), "model") for output in self.outputs)
        self.job = JobSpec(
            samples.APP, "n", "T", ME, ("x",), (), self.staging.as_uri(), "file://", outputs=specs
        )

    def stage(self) -> None:
        self.staging.mkdir()
        (self.staging / "job.json").write_text(json.dumps(to_dict(self.job)))
        (self.staging / "am-1.json").write_text("{}")

    def mark(self, output: Path, app_id: str) -> None:
        output.mkdir(exist_ok=True)
        (output / "_SUCCESS").write_text(app_id)

    def conclude(self, snapshot: Snapshot | None = None, *, goes_on: bool = False) -> Outcome:
        report = ApplicationReport(samples.APP, "n", ME, AppState.KILLED)
        venue = Venue(
            name="yarn",
            user=ME,
            cluster=cast(Any, SimpleNamespace(logs=lambda *_: {})),
            fss=FileSystems("file://"),
            config=Config.from_properties({}),
            tidy=lambda *_: None,
            log_source=cast(Any, None),
            recorded=lambda _: None,
        )
        console = PlainConsole(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
        return conclude(self.job, Ending(report, snapshot, goes_on), venue, console)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_outputs_that_somebody_else_has_completed(scene: Scene) -> None:
    for output in scene.outputs:
        scene.mark(output, samples.APP)
    assert scene.conclude().good
    assert not scene.conclude(goes_on=True).good


def test_outputs_that_are_not_whole_or_of_another_job(scene: Scene) -> None:
    assert not scene.conclude().good
    scene.mark(scene.outputs[0], samples.APP)
    assert not scene.conclude().good
    scene.mark(scene.outputs[1], "application_1_0009")
    assert not scene.conclude().good


@pytest.mark.parametrize("state", [ContainerState.UPLOADING, ContainerState.RUNNING])
def test_what_a_node_writes_before_it_hears_of_the_end(
    state: ContainerState, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.stage()
    slept: list[float] = []

    def upload(seconds: float) -> None:
        slept.append(seconds)
        late = scene.outputs[0] / "_temporary" / f"{samples.APP}_000001" / "c"
        late.mkdir(parents=True)
        (late / "file").write_text("late")
        # whoever comes after a client that dies here has something to go by; agents have not
        assert [child.name for child in scene.staging.iterdir()] == ["job.json"]

    monkeypatch.setattr(time, "sleep", upload)
    outcome = scene.conclude(samples.snapshot(samples.container(0, state)))
    assert outcome.report.state is AppState.KILLED
    assert bool(slept) is (state is ContainerState.UPLOADING)
    assert not scene.outputs[0].exists()
    assert not scene.staging.exists()
