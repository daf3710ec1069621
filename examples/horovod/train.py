"""Linear regression with Horovod and TensorFlow: each process has its own rows, all get the same weights."""

from __future__ import annotations

import json
from pathlib import Path

import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf

STEPS, RATE = 60, 0.1


def main() -> None:
    hvd.init()
    random = np.random.default_rng(7)
    points = random.normal(size=(64, 3)).astype("float32")
    wanted = points @ np.array([[1], [2], [3]], "float32")
    points, wanted = points[hvd.rank() :: hvd.size()], wanted[hvd.rank() :: hvd.size()]
    weights = tf.Variable(tf.zeros((3, 1)))
    hvd.broadcast_variables([weights], root_rank=0)
    for _ in range(STEPS):
        with hvd.DistributedGradientTape(tf.GradientTape()) as tape:
            loss = tf.reduce_mean((tf.matmul(points, weights) - wanted) ** 2)
        (gradient,) = tape.gradient(loss, [weights])
        weights.assign_sub(RATE * gradient)
    where = [hvd.rank(), hvd.size(), hvd.local_rank(), hvd.local_size(), hvd.cross_rank(), hvd.cross_size()]
    Path("model").mkdir(exist_ok=True)
    report = {"where": where, "weights": weights.numpy().ravel().tolist()}
    Path(f"model/{hvd.rank()}.json").write_text(json.dumps(report))
    print(f"rank {hvd.rank()} of {hvd.size()}: {report['weights']}", flush=True)


if __name__ == "__main__":
    main()
