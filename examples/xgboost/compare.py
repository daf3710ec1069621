"""Compares a model that several workers have trained with one that was trained in one place."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import xgboost
from train import load


def main() -> None:
    """Both models say what they think of the same rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, nargs=2)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    features, labels = load(options.data)
    matrix = xgboost.DMatrix(features)
    one, other = (xgboost.Booster(model_file=path).predict(matrix) for path in options.models)
    print(f"accuracy {np.mean(one.argmax(axis=1) == labels):.3f}")
    print(f"largest difference: {np.abs(one - other).max():.5f}")


if __name__ == "__main__":
    main()
