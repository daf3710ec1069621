"""Horovod with TensorFlow, built with gloo alone: it takes minutes to build, so it is for `make test-all`."""

from __future__ import annotations

import json

import frameworks
import pytest
from submitting import Gateway

_TRAIN = """
import json, os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
import horovod.tensorflow as hvd

hvd.init()
random = np.random.default_rng(7)
points = random.normal(size=(64, 3)).astype("float32")
wanted = points @ np.array([[1], [2], [3]], "float32")
points, wanted = points[hvd.rank()::hvd.size()], wanted[hvd.rank()::hvd.size()]
weights = tf.Variable(tf.zeros((3, 1)))
hvd.broadcast_variables([weights], root_rank=0)
for _ in range(60):
    with hvd.DistributedGradientTape(tf.GradientTape()) as tape:
        loss = tf.reduce_mean((tf.matmul(points, weights) - wanted) ** 2)
    (gradient,) = tape.gradient(loss, [weights])
    weights.assign_sub(0.1 * gradient)
where = [hvd.rank(), hvd.size(), hvd.local_rank(), hvd.local_size(), hvd.cross_rank(), hvd.cross_size()]
with open(f"out/{hvd.rank()}.json", "w") as file:
    json.dump({"where": where, "weights": weights.numpy().ravel().tolist()}, file)
"""


@pytest.mark.large
def test_processes_of_two_workers_learn_the_same(gateway: Gateway) -> None:
    (gateway.work / "train.py").write_text(_TRAIN)
    ended = gateway.submit(
        *("--app-type", "horovod", "--worker-num", 2, "--conf", "xlearning.horovod.process.num.per.worker=2"),
        *("--board-enable", "false", "--files", "train.py", "--output", "out#out"),
        *(str(frameworks.python("horovod")), "train.py"),
    )
    assert ended.code == 0, ended.err
    paths = sorted(gateway.work.glob("out/*/*.json"), key=lambda path: path.name)
    seen = [json.loads(path.read_text()) for path in paths]
    assert [one["where"] for one in seen] == [
        [0, 4, 0, 2, 0, 2],
        [1, 4, 1, 2, 0, 2],
        [2, 4, 0, 2, 1, 2],
        [3, 4, 1, 2, 1, 2],
    ]
    assert all(one["weights"] == seen[0]["weights"] for one in seen)
    assert seen[0]["weights"] == pytest.approx([1, 2, 3], abs=0.01)
    gateway.nothing_is_left()
