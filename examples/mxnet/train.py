"""A small neural network on MXNet's kvstore, trained by any number of workers and servers.

Every process runs this program; ``DMLC_*`` variables tell it who it is and where the scheduler is.
In the roles ``scheduler`` and ``server`` the import of MXNet is all there is: it serves the workers,
and ends the process when they are done. Without the variables the program trains alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from pathlib import Path

import mxnet
import numpy as np
from mxnet import autograd, gluon, nd

TOTAL = 1 << 20  # a key of the store; the trainer numbers its own from 0


def load(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of all CSV files in ``folder``; a line is ``label,feature,...``."""
    table = np.concatenate([np.loadtxt(path, delimiter=",", ndmin=2) for path in sorted(folder.iterdir())])
    return table[:, 1:].astype("float32"), table[:, 0].astype("float32")


def make_network(features: int, classes: int) -> gluon.nn.Sequential:
    """The same weights in every process."""
    mxnet.random.seed(7)
    np.random.seed(7)
    network = gluon.nn.Sequential(prefix="net_")
    with network.name_scope():
        network.add(
            gluon.nn.Dense(16, activation="tanh", in_units=features),
            gluon.nn.Dense(classes, in_units=16),
        )
    network.initialize(mxnet.init.Xavier())
    return network


def total(store: mxnet.kvstore.KVStore, number: float) -> float:
    """The sum of a number over all workers."""
    found = nd.zeros(1)
    store.init(TOTAL, nd.zeros(1))
    store.pushpull(TOTAL, nd.array([number]), out=found)
    return float(found.asscalar())


def train(data: Path, steps: int, classes: int) -> tuple[gluon.nn.Sequential, list[float]]:
    """The network, and the mean loss over this worker's rows at each step.

    In each step the server adds the gradients of all workers and moves the weights.
    """
    store = mxnet.kv.create("dist_sync" if "DMLC_PS_ROOT_URI" in os.environ else "local")
    features, labels = (nd.array(part) for part in load(data))
    rows = total(store, len(labels))
    print(f"{len(labels)} of the {rows:g} rows of {store.num_workers} workers", flush=True)
    network, loss = make_network(features.shape[1], classes), gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(
        network.collect_params(), "sgd", {"learning_rate": 1.0}, kvstore=store, update_on_kvstore=True
    )
    losses: list[float] = []
    for step in range(1, steps + 1):
        with autograd.record():
            each = loss(network(features), labels)
        each.backward()
        trainer.step(rows)
        losses.append(float(each.mean().asscalar()))
        print(f"reporter progress:{step / steps:.2f}", file=sys.stderr, flush=True)
        if step % max(1, steps // 10) == 0:
            print(f"step {step}/{steps}  loss {losses[-1]:.4f}", flush=True)
    return network, losses


def save(folder: Path, network: gluon.nn.Sequential, losses: list[float]) -> None:
    """Write the weights, and the numbers about them."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: weight.data().asnumpy() for name, weight in network.collect_params().items()}
    np.savez(folder / "weights.npz", **weights)
    (folder / "metrics.json").write_text(json.dumps({"loss": losses}) + "\n")
    print(f"the model is in {folder}", flush=True)


def difference(network: gluon.nn.Sequential, file: Path) -> float:
    """The largest between any weight of the network and the same one in a file of `save`."""
    saved = np.load(file)
    pairs = ((weight.data().asnumpy(), saved[name]) for name, weight in network.collect_params().items())
    return max(float(np.abs(one - other).max()) for one, other in pairs)


def main() -> None:
    """Train, and let the first worker save the network, which all of them have."""
    parser = argparse.ArgumentParser(description="Train a network on CSV files: label,feature,...")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--model-dir", type=Path, default=Path("model"))
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--classes", type=int, default=3)
    parser.add_argument("--same-as", type=Path, metavar="FILE", help="weights.npz to compare with")
    options = parser.parse_args()
    network, losses = train(options.data, options.steps, options.classes)
    if os.environ.get("DMLC_WORKER_ID", "0") == "0":  # MXNet's own rank is given in order of arrival
        save(options.model_dir, network, losses)
    if options.same_as:
        print(f"largest difference: {difference(network, options.same_as):.5f}")


if __name__ == "__main__":
    try:
        main()
    except Exception:  # noqa: BLE001 - an ordinary end waits for the other workers, which wait for this
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
