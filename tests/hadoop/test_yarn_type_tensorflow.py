"""TENSORFLOW with real TensorFlow on YARN: chief, worker, ps and evaluator in containers of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import Place
from tensorflow_jobs import MODEL, make_data, numbers, program
from yarn_gateway import YarnGateway


def test_parameter_server_strategy_with_an_evaluator(
    place: Place, gateway: YarnGateway, tmp_path: Path
) -> None:
    """All nodes are this machine, so that a local folder is one that all containers see."""
    gateway.properties["xlearning.tf.coordinator"] = "true"
    gateway.properties["xlearning.chief.worker.minimum.data"] = "true"
    ended = gateway.submit(
        *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 3, "--tf-evaluator"),
        *("--worker-memory", "1g", "--ps-memory", "1g", "--chief-worker-memory", "1200m"),
        *("--input", f"{make_data(gateway.work, place)}#data", "--output", f"{place.at('out')}#model"),
        *("--board-enable", "false"),
        *program("parameter_server.py", "--steps", 40, "--checkpoints", tmp_path / "checkpoints"),
    )
    assert ended.code == 0, ended.err
    (model,) = numbers(place, "model.json")
    assert model["losses"][-1] < 1e-3 < 1 < model["losses"][0]
    assert model["weights"] == pytest.approx(MODEL["weights"], abs=0.05)
    assert model["places"] == ["/job:ps/replica:0/task:0/device:CPU:0"]
    (judged,) = numbers(place, "evaluation.json")
    assert judged["losses"]["40"] < 1e-3
    assert place.exists("out/_SUCCESS")
    gateway.nothing_is_left_of(ended.app_id)
