"""Writes rows of three classes as CSV files: ``python make_data.py FOLDER``."""

from __future__ import annotations

import random
import sys
from pathlib import Path

ROWS, FILES = 900, 3


def main() -> None:
    folder, random_ = Path(sys.argv[1]), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[list[str]] = [[] for _ in range(FILES)]
    for row in range(ROWS):
        kind = row % 3
        x, y = random_.gauss(2.0 * kind, 1.0), random_.gauss((kind - 1) ** 2, 1.0)
        lines[row // 3 % FILES].append(f"{kind},{x:.6f},{y:.6f}\n")
    for number, part in enumerate(lines):
        (folder / f"rows-{number}.csv").write_text("".join(part))


if __name__ == "__main__":
    main()
