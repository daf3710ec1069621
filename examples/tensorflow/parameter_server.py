"""Linear regression with TensorFlow 2's ParameterServerStrategy: chief, workers, ps, and an evaluator.

Every process of the job runs this program; ``TF_CONFIG`` tells it who it is. Workers and ps run TensorFlow's
server until they are stopped. The chief schedules steps on the workers, which read the CSV files of their
own ``./data``; it judges the model by the files of its own. The evaluator stands outside the cluster: it
looks at each checkpoint that appears in a folder that all of them see.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

COLUMNS, BATCH, RATE = 4, 50, 0.1  # columns of a file: the label and the features


def rows(pattern: str) -> tf.data.Dataset:
    """Batches of features and labels of CSV files, read by the process that iterates over them."""
    lines = tf.data.Dataset.list_files(pattern, shuffle=False).interleave(tf.data.TextLineDataset)

    def parse(line: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        row = tf.stack(tf.io.decode_csv(line, [0.0] * COLUMNS))
        return row[1:], row[:1]

    return lines.map(parse).batch(BATCH)


def variables() -> tuple[tf.Variable, tf.Variable, tf.Variable]:
    """Weights, bias and the number of steps done, all zero."""
    weights = tf.Variable(tf.zeros([COLUMNS - 1, 1]), name="weights")
    bias = tf.Variable(tf.zeros([1]), name="bias")
    return weights, bias, tf.Variable(0, dtype=tf.int64, name="step")


def mean_loss(model: tuple[tf.Variable, ...], data: tf.data.Dataset) -> float:
    """Mean squared error over all rows."""
    weights, bias, _ = model
    errors = [tf.square(features @ weights + bias - labels) for features, labels in data]
    return float(tf.reduce_mean(tf.concat(errors, axis=0)))


def serve(resolver: tf.distribute.cluster_resolver.ClusterResolver) -> None:
    """Be a worker or a ps; XLearning ends it when the chief is done."""
    print(f"{resolver.task_type}:{resolver.task_id} serves", flush=True)
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id
    )
    server.join()


def coordinate(resolver: tf.distribute.cluster_resolver.ClusterResolver, options: argparse.Namespace) -> None:
    """Train: schedule steps on the workers, and save what they have learned."""
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        model = variables()
    weights, bias, done = model

    def dataset() -> Any:
        return strategy.distribute_datasets_from_function(lambda _: rows("data/*.csv").repeat())

    def learn(features: tf.Tensor, labels: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(features @ weights + bias - labels))
        for variable, slope in zip((weights, bias), tape.gradient(loss, (weights, bias)), strict=True):
            variable.assign_sub(RATE * slope)
        done.assign_add(1)

    @tf.function
    def step(batches: Any) -> None:
        strategy.run(learn, args=next(batches))

    batches = iter(coordinator.create_per_worker_dataset(tf.function(dataset)))
    saver = tf.train.Checkpoint(weights=weights, bias=bias, step=done)
    own = rows("data/*.csv")
    losses = [mean_loss(model, own)]
    for finished in range(options.every, options.steps + 1, options.every):
        for _ in range(options.every):
            coordinator.schedule(step, args=(batches,))
        coordinator.join()
        losses.append(mean_loss(model, own))
        print(f"reporter progress:{finished / options.steps:.2f}", file=sys.stderr, flush=True)
        print(f"step {finished}/{options.steps}  loss {losses[-1]:.6f}", flush=True)
        if options.checkpoints:
            saver.save(f"{options.checkpoints}/model")
    found = {"weights": weights.numpy().ravel().tolist(), "bias": float(bias.numpy()[0])}
    places = sorted({variable.device for variable in model})
    save("model.json", losses=losses, step=int(done.numpy()), places=places, **found)


def evaluate(options: argparse.Namespace) -> None:
    """Judge the newest checkpoint by ``held-out.csv``, again and again, until the last one has come."""
    model = variables()
    saver = tf.train.Checkpoint(**dict(zip(("weights", "bias", "step"), model, strict=True)))
    own = rows("held-out.csv")
    losses: dict[int, float] = {}
    for path in tf.train.checkpoints_iterator(options.checkpoints):
        saver.restore(path).expect_partial()
        step = int(model[-1].numpy())
        losses[step] = mean_loss(model, own)
        print(f"evaluator: step {step}  loss {losses[step]:.6f}", flush=True)
        save("evaluation.json", losses=losses)
        if step >= options.steps:
            return


def save(name: str, **numbers: Any) -> None:
    """Write numbers into the job's output."""
    folder = Path("model")
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Be what ``TF_CONFIG`` says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--every", type=int, default=20, help="steps between two looks at the loss")
    parser.add_argument("--checkpoints", default="", help="folder that all containers see")
    options = parser.parse_args()
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        serve(resolver)
    elif resolver.task_type == "evaluator":
        evaluate(options)
    else:
        coordinate(resolver, options)


if __name__ == "__main__":
    main()
