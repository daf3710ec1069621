"""TENSORFLOW with real TensorFlow: what its programs learn, and what happens when a member dies."""

from __future__ import annotations

import io
import json
import os
import signal
from pathlib import Path

import doc_pages
import numpy as np
import psutil
import pytest
from frameworks import python
from places import Place
from submitting import PATIENCE, Gateway
from tensorflow_jobs import EXAMPLE, MODEL, make_data, numbers, program

from xlearning.fs import FileSystems

JOB = ("--app-type", "TENSORFLOW", "--board-enable", "false", "--worker-memory", "2g", "--ps-memory", "2g")
MIRRORED = ("--conf", "xlearning.tf.distribution.strategy=true")
COORDINATOR = ("--conf", "xlearning.tf.coordinator=true")
ON_PS = ["/job:ps/replica:0/task:0/device:CPU:0"]


@pytest.fixture
def disk(tmp_path: Path) -> Place:
    """The data lie on local disks: where they come from makes no difference to a type."""
    (tmp_path / "place").mkdir()
    return Place((tmp_path / "place").as_uri(), FileSystems("file://"))


@pytest.fixture
def data(disk: Place, gateway: Gateway) -> tuple[object, ...]:
    return (*JOB, "--input", f"{make_data(gateway.work, disk)}#data")


@pytest.mark.large  # the same program learns on YARN, in `test_yarn_type_tensorflow`
def test_parameter_server_strategy(data: tuple[object, ...], disk: Place, gateway: Gateway) -> None:
    """The chief schedules, workers and ps serve and are stopped when it is done."""
    ended = gateway.submit(
        *(*data, *COORDINATOR, "--ps-num", 1, "--worker-num", 3, "--chief-worker-memory", "3g"),
        *("--conf", "xlearning.chief.worker.minimum.data=true", "--output", f"{disk.at('out')}#model"),
        *program("parameter_server.py", "--steps", 40),
    )
    assert ended.code == 0, ended.err
    (model,) = numbers(disk, "model.json")
    assert model["step"] == 40
    assert model["losses"][-1] < 1e-3 < 1 < model["losses"][0]
    assert model["weights"] == pytest.approx(MODEL["weights"], abs=0.05)
    assert model["places"] == ON_PS
    gateway.nothing_is_left()


def alone(disk: Place, steps: int, rate: float = 0.1) -> tuple[list[float], list[float]]:
    """Losses and weights of one process that has all rows, without TensorFlow."""
    files = [io.BytesIO(disk.read(f"rows/{name}")) for name in disk.tree("rows")]
    table = np.concatenate([np.loadtxt(file, delimiter=",") for file in files])
    points, labels = np.column_stack([table[:, 1:], np.ones(len(table))]), table[:, 0]
    weights, losses = np.zeros(points.shape[1]), []
    for _ in range(steps):
        error = points @ weights - labels
        losses.append(float(np.mean(error**2)))
        weights -= rate * 2 * points.T @ error / len(labels)
    return losses, weights[:-1].tolist()


def test_mirrored_workers_learn_what_one_alone_does(
    data: tuple[object, ...], disk: Place, gateway: Gateway, tmp_path: Path
) -> None:
    """Two workers, which have half of the rows each, and an evaluator."""
    ended = gateway.submit(
        *(*data, *MIRRORED, "--worker-num", 3, "--tf-evaluator", "--output", f"{disk.at('out')}#model"),
        *program("mirrored.py", "--steps", 10, "--shared", tmp_path / "shared"),
    )
    assert ended.code == 0, ended.err
    found = numbers(disk, "model.json")
    (judged,) = [each for each in found if "held_out" in each]
    workers = [each for each in found if "held_out" not in each]
    losses, weights = alone(disk, 10)
    assert [each["rows"] for each in workers] == [200, 200]
    for each in workers:
        assert each["losses"] == pytest.approx(losses, rel=1e-9)
        assert each["weights"] == pytest.approx(weights, rel=1e-9)
    assert losses[-1] < losses[0] / 10
    assert judged["held_out"] == pytest.approx(losses[-1], rel=0.9)
    gateway.nothing_is_left()


@pytest.mark.large
def test_all_lines_of_the_page(gateway: Gateway) -> None:
    """In the shell of somebody whose environment has TensorFlow."""
    doc_pages.run(EXAMPLE / "README.md", gateway, python("tensorflow").parent, seconds=PATIENCE)
    found = {path.parts[0]: json.loads((gateway.work / path).read_text()) for path in _models(gateway.work)}
    assert set(found) == {"model-ps", "model-mirrored", "model-tf1"}
    for model in found.values():
        assert model["losses"][-1] < model["losses"][0] / 1000
        assert model["weights"] == pytest.approx(MODEL["weights"], abs=0.05)
    (judged,) = gateway.work.glob("model-ps/*/evaluation.json")
    assert json.loads(judged.read_text())["losses"]["200"] < 1e-3
    gateway.nothing_is_left()


def _models(work: Path) -> list[Path]:
    """One model of each of the page's jobs, relative to ``work``."""
    found = (*work.glob("model-*/*/model.json"), *work.glob("model-tf1/*/worker-0.json"))
    return [path.relative_to(work) for path in found]


@pytest.mark.large  # how independent workers end is that of all types
def test_single_workers_learn_alone(data: tuple[object, ...], disk: Place, gateway: Gateway) -> None:
    """Neither ps nor strategy: no worker has TF_CONFIG, so each trains with its own rows."""
    ended = gateway.submit(
        *(*data, "--worker-num", 2, "--output", f"{disk.at('out')}#model"),
        *program("mirrored.py", "--steps", 60),
    )
    assert ended.code == 0, ended.err
    found = numbers(disk, "model.json")
    assert [(each["rows"], each["total"]) for each in found] == [(200, 200), (200, 200)]
    for each in found:
        assert each["losses"][-1] < each["losses"][0] / 1000
        assert each["weights"] == pytest.approx(MODEL["weights"], abs=0.05)
    gateway.nothing_is_left()


_LATE = """
import os, runpy, sys, time
import tensorflow.compat.v1
name, done = sys.argv[1:3]
sys.argv[1:] = sys.argv[3:]
late = os.environ["TF_ROLE"] == "worker" and os.environ["TF_INDEX"] == "1"
while late and not os.path.exists(done):
    time.sleep(0.05)
runpy.run_path(name, run_name="__main__")
"""


def test_a_worker_that_begins_when_the_chief_has_ended(
    data: tuple[object, ...], disk: Place, gateway: Gateway
) -> None:
    """As in TensorFlow 1: with device filters its session does not wait for the one that is gone."""
    (gateway.work / "late.py").write_text(_LATE)
    done = gateway.work / "chief-is-done"
    *_, interpreter, name = program("tf1_servers.py")
    running = gateway.start(
        *(*data, "--ps-num", 1, "--worker-num", 2, "--output", f"{disk.at('out')}#model"),
        *("--files", f"{EXAMPLE / str(name)},late.py", "--"),
        *(interpreter, "late.py", name, done, "--steps", 60),
    )
    running.said("worker: 1 succeeded, 1 running", 120)
    done.touch()
    ended = running.end()
    assert ended.code == 0, ended.err
    (first,), (second,) = numbers(disk, "worker-0.json"), numbers(disk, "worker-1.json")
    assert [(each["first"], each["last"]) for each in (first, second)] == [(0, 60), (60, 120)]
    assert first["losses"][-1] < first["losses"][0] / 1000
    assert second["weights"] == pytest.approx(MODEL["weights"], abs=1e-3)
    gateway.nothing_is_left()


def programs(gateway: Gateway, name: str, role: str, index: int) -> list[psutil.Process]:
    """The user's processes of one place."""
    found = []
    for process in gateway.processes():
        try:
            words, environ = process.cmdline(), process.environ()
        except psutil.Error:
            continue
        if (environ.get("TF_ROLE"), environ.get("TF_INDEX")) == (role, str(index)) and name in words:
            found.append(process)
    return found


def test_a_ps_dies_in_the_middle_of_the_training(data: tuple[object, ...], gateway: Gateway) -> None:
    """The job fails, names it and not the chief that misses it, and leaves nothing."""
    running = gateway.start(
        *(*data, *COORDINATOR, "--ps-num", 1, "--worker-num", 2, "--logs=worker:0"),
        *program("parameter_server.py", "--steps", 1_000_000),
    )
    running.said("loss 0.0", 120)
    for process in programs(gateway, "parameter_server.py", "ps", 0):
        os.kill(process.pid, signal.SIGKILL)
    ended = running.end(60)
    assert ended.code == 2, ended.err
    assert "First to fail: ps:0 (" in ended.err, ended.err
    gateway.nothing_is_left()


def test_a_mirrored_worker_dies(gateway: Gateway) -> None:
    """The other would wait for it for ever, as TensorFlow does."""
    program = 'test "$TF_INDEX" = 1 && kill -9 $$; exec sleep 600'
    ended = gateway.submit(*JOB, *MIRRORED, "--worker-num", 2, "--", "bash", "-c", program)
    assert ended.code == 2, ended.err
    assert "First to fail: worker:1 (" in ended.err, ended.err
    gateway.nothing_is_left()
