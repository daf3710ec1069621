"""Writes the training data of this example: CSV files with one row per line, ``label,feature,...``.

The same arguments always give the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np


def make_data(
    folder: Path, rows: int = 2000, files: int = 4, features: int = 8, classes: int = 3, seed: int = 7
) -> list[Path]:
    """Write ``files`` files with together ``rows`` rows: one overlapping cloud of points per class."""
    random = np.random.default_rng(seed)
    centers = random.normal(size=(classes, features))
    labels = random.integers(classes, size=rows)
    points = centers[labels] + random.normal(size=(rows, features))
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, chosen in enumerate(np.array_split(np.arange(rows), files)):
        paths.append(folder / f"part-{number:05d}.csv")
        table = np.column_stack([labels[chosen], points[chosen]])
        np.savetxt(paths[-1], table, delimiter=",", fmt=["%d"] + ["%.6f"] * features)
    return paths


def main() -> None:
    """Read the command line and write the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    for path in make_data(options.folder, options.rows, options.files, seed=options.seed):
        print(path)


if __name__ == "__main__":
    main()
