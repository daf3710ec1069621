"""Softmax regression with MPI: every rank has a part of the rows, gradients are summed by allreduce.

Run as one process, it trains on all rows; the weights are the same but for rounding.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI


def own_files(data: Path) -> list[Path]:
    """The files of this rank: the ranks of one container share those that were brought to it."""
    files = sorted(data.glob("*.csv"))
    rank, ranks = (
        int(os.environ.get(f"OMPI_COMM_WORLD_LOCAL_{name}", n)) for name, n in (("RANK", 0), ("SIZE", 1))
    )
    return files[rank::ranks]


def read(files: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    """Points, with a column of ones, and labels of all rows."""
    table = np.concatenate([np.loadtxt(file, delimiter=",", ndmin=2) for file in files])
    return np.column_stack([table[:, 1:], np.ones(len(table))]), table[:, 0].astype(int)


def gradient(weights: np.ndarray, points: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, float]:
    """Sums over the rows: gradient and loss."""
    scores = points @ weights
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(chances[rows, labels]).sum()
    chances[rows, labels] -= 1
    return points.T @ chances, float(loss)


def main() -> None:
    """Train, and let rank 0 write the model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--model", type=Path, default=Path("model"))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--classes", type=int, default=3)
    options = parser.parse_args()
    world = MPI.COMM_WORLD
    files = own_files(options.data)
    if not files:
        sys.exit(f"rank {world.rank} has no file: give each rank at least one")
    points, labels = read(files)
    rows = world.allreduce(len(labels))
    print(f"rank {world.rank} of {world.size}: {len(labels)} of {rows} rows", flush=True)
    weights = np.zeros((points.shape[1], options.classes))
    total = np.empty_like(weights)
    for step in range(options.steps):
        part, loss = gradient(weights, points, labels)
        world.Allreduce(part, total)
        loss = world.allreduce(loss) / rows
        weights -= total / rows
        if world.rank == 0 and (step + 1) % 20 == 0:
            print(f"step {step + 1}: loss {loss:.6f}", flush=True)
            print(f"reporter progress:{(step + 1) / options.steps:.2f}", file=sys.stderr, flush=True)
    if world.rank == 0:
        options.model.mkdir(exist_ok=True)
        np.savetxt(options.model / "weights.csv", weights, delimiter=",")


if __name__ == "__main__":
    main()
