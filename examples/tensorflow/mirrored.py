"""Linear regression with MultiWorkerMirroredStrategy: all workers learn from the files of all.

Each step adds up the gradients over the files of all workers (``./data`` of each), so the weights do not
depend on how many workers there are: one worker that has all files finds the same. ``TF_CONFIG`` tells a
worker where the others are; without it the program trains alone. The evaluator, which is no member of the
cluster, judges what worker 0 leaves in a folder that both see.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

RATE = 0.1


def rows(pattern: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of CSV files."""
    tables = [np.loadtxt(path, delimiter=",", ndmin=2) for path in sorted(Path().glob(pattern))]
    table = np.concatenate(tables)
    return table[:, 1:], table[:, :1]


def train(options: argparse.Namespace) -> None:
    """Be a worker, with all others or alone."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    features, labels = map(tf.constant, rows("data/*.csv"))
    with strategy.scope():  # each worker adds its part to every change
        weights, bias = (
            tf.Variable(tf.zeros(shape, tf.float64), aggregation=tf.VariableAggregation.SUM)
            for shape in ([features.shape[1], 1], [1])
        )

    @tf.function
    def count() -> tf.Tensor:
        own = strategy.run(lambda: tf.constant(len(labels), tf.float64))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, own, axis=None)

    total = count()

    def learn() -> tf.Tensor:
        with tf.GradientTape() as tape:
            error = tf.reduce_sum(tf.square(features @ weights + bias - labels)) / total
        for variable, slope in zip((weights, bias), tape.gradient(error, (weights, bias)), strict=True):
            variable.assign_sub(RATE * slope)
        return error

    @tf.function
    def step() -> tf.Tensor:
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(learn), axis=None)

    losses = []
    for finished in range(1, options.steps + 1):
        losses.append(float(step()))
        if finished % max(1, options.steps // 20) == 0:
            print(f"reporter progress:{finished / options.steps:.2f}", file=sys.stderr, flush=True)
            print(f"step {finished}/{options.steps}  loss {losses[-1]:.6f}", flush=True)
    found = {"weights": weights.numpy().ravel().tolist(), "bias": float(bias.numpy()[0])}
    save("model", rows=len(labels), total=float(total), losses=losses, **found)
    if options.shared and os.environ.get("TF_INDEX", "0") == "0":
        save(options.shared, **found)


def evaluate(options: argparse.Namespace) -> None:
    """Wait for a model and judge it by ``held-out.csv``; XLearning ends this some time after the training."""
    features, labels = rows("held-out.csv")
    while not (found := Path(options.shared, "model.json")).exists():
        time.sleep(0.1)
    model = json.loads(found.read_text(encoding="utf-8"))
    error = features @ np.reshape(model["weights"], (-1, 1)) + model["bias"] - labels
    save("model", held_out=float(np.mean(error**2)))


def save(folder: str, **numbers: Any) -> None:
    """Write numbers into a folder; the file is there when it is whole."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    draft = Path(folder, "draft")
    draft.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    draft.rename(Path(folder, "model.json"))


def main() -> None:
    """Train, or judge what is trained."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--shared", default="", help="folder that worker 0 and the evaluator see")
    options = parser.parse_args()
    if os.environ.get("TF_ROLE") == "evaluator":
        evaluate(options)
    else:
        train(options)


if __name__ == "__main__":
    main()
