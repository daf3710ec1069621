"""Linear regression as in TensorFlow 1: ps and workers that build their graph between them.

Every process starts TensorFlow's server for its place in ``TF_CLUSTER_DEF``. The variables lie on the ps;
each worker takes its own number of steps with the files of its own ``./data``. Programs of this kind run
on TensorFlow 2 through ``tf.compat.v1``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

RATE = 0.1


def rows(pattern: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of CSV files."""
    tables = [np.loadtxt(path, delimiter=",", ndmin=2) for path in sorted(Path().glob(pattern))]
    table = np.concatenate(tables)
    return table[:, 1:], table[:, :1]


def work(index: int, cluster: tf.train.ClusterSpec, target: str, options: argparse.Namespace) -> None:
    """Train with this worker's rows; worker 0 makes the variables."""
    features, labels = rows("data/*.csv")
    place = tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{index}")
    with tf.device(place):
        step = tf.train.get_or_create_global_step()
        weights = tf.get_variable("weights", [features.shape[1], 1], tf.float64, tf.zeros_initializer())
        bias = tf.get_variable("bias", [1], tf.float64, tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(features @ weights + bias - labels))
        learn = tf.train.GradientDescentOptimizer(RATE).minimize(loss, global_step=step)
    # Without the filters a session waits for all tasks of the cluster, also for those that have ended.
    filters = ["/job:ps", f"/job:worker/task:{index}"] if options.device_filters else []
    config = tf.ConfigProto(device_filters=filters)
    with tf.train.MonitoredTrainingSession(target, is_chief=index == 0, config=config) as session:
        first = int(session.run(step))
        losses = []
        for finished in range(1, options.steps + 1):
            losses.append(float(session.run([loss, learn])[0]))
            if finished % max(1, options.steps // 20) == 0:
                print(f"reporter progress:{finished / options.steps:.2f}", file=sys.stderr, flush=True)
                print(f"worker {index}: step {finished}  loss {losses[-1]:.6f}", flush=True)
        last, found_weights, found_bias = session.run([step, weights, bias])
    folder = Path("model")
    folder.mkdir(exist_ok=True)
    found = {"weights": found_weights.ravel().tolist(), "bias": float(found_bias[0])}
    text = json.dumps({"first": first, "last": int(last), "losses": losses, **found}, indent=2)
    (folder / f"worker-{index}.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Serve, or train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100, help="of each worker")
    parser.add_argument("--device-filters", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    tf.disable_eager_execution()
    cluster = tf.train.ClusterSpec(json.loads(os.environ["TF_CLUSTER_DEF"]))
    role, index = os.environ["TF_ROLE"], int(os.environ["TF_INDEX"])
    server = tf.train.Server(cluster, job_name=role, task_index=index)
    if role == "ps":
        server.join()  # never returns; XLearning ends it when the workers are done
    else:
        work(index, cluster, server.target, options)


if __name__ == "__main__":
    main()
