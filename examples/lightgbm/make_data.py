"""Writes rows of two classes, a ring inside another one, as CSV files: ``python make_data.py FOLDER``."""

from __future__ import annotations

import random
import sys
from pathlib import Path

ROWS, FILES = 2000, 4


def main() -> None:
    folder, random_ = Path(sys.argv[1]), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[list[str]] = [[] for _ in range(FILES)]
    for row in range(ROWS):
        x, y = random_.gauss(0, 1), random_.gauss(0, 1)
        lines[row % FILES].append(f"{int(x * x + y * y > 1.4)},{x:.6f},{y:.6f}\n")
    for number, part in enumerate(lines):
        (folder / f"rings-{number}.csv").write_text("".join(part))


if __name__ == "__main__":
    main()
