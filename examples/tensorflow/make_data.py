"""Make rows of CSV for the programs of this folder: a label, and three features that it follows from."""

from __future__ import annotations

import random
import sys
from pathlib import Path

WEIGHTS, BIAS = (2.0, -1.0, 0.5), 0.25


def write(path: Path, count: int, seed: int) -> None:
    """``count`` rows, the same for the same seed."""
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        features = [round(draw.uniform(-2, 2), 6) for _ in WEIGHTS]
        label = BIAS + sum(weight * feature for weight, feature in zip(WEIGHTS, features, strict=True))
        lines.append(",".join(f"{value:.6f}" for value in (label, *features)) + "\n")
    path.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "rows")
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(4):
        write(folder / f"rows-{number}.csv", 100, number)
    write(Path("held-out.csv"), 100, 99)
    print(f"4 files of 100 rows in {folder}, and held-out.csv")
