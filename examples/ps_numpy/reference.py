"""The same training in one process, written independently of train.py: what the weights must be."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np


def train_serial(files: Iterable[Path | str], steps: int, learning_rate: float = 0.5) -> np.ndarray:
    """Weights (features + 1 x classes; the first row is the bias) after ``steps`` full-batch steps."""
    table = np.vstack([np.genfromtxt(path, delimiter=",") for path in files])
    features = np.insert(table[:, 1:], 0, 1.0, axis=1)
    targets = np.eye(int(table[:, 0].max()) + 1)[table[:, 0].astype(int)]
    weights = np.zeros((features.shape[1], targets.shape[1]))
    for _ in range(steps):
        exponentials = np.exp(features @ weights)
        probabilities = exponentials / exponentials.sum(axis=1, keepdims=True)
        weights += learning_rate * features.T @ (targets - probabilities) / len(table)
    return weights


def main() -> None:
    """Compare a model with the reference."""
    parser = argparse.ArgumentParser(
        description="Largest difference between a trained model and this reference."
    )
    parser.add_argument("model", type=Path, help="weights.npz")
    parser.add_argument("files", type=Path, nargs="+", help="the training data")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--learning-rate", type=float, default=0.5)
    options = parser.parse_args()
    with np.load(options.model) as model:
        weights = model["weights"]
    difference = np.abs(weights - train_serial(options.files, options.steps, options.learning_rate)).max()
    print(f"largest difference: {difference:.1e}")
    raise SystemExit(0 if difference < 1e-9 else 1)


if __name__ == "__main__":
    main()
