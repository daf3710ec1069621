"""Writes documents about the kitchen or about the sea, a line each: ``python make_data.py FOLDER``."""

from __future__ import annotations

import random
import sys
from pathlib import Path

KITCHEN = (
    "bread",
    "butter",
    "salt",
    "pepper",
    "flour",
    "sugar",
    "oven",
    "pan",
    "knife",
    "spoon",
    "soup",
    "cup",
)
SEA = ("wave", "tide", "sail", "anchor", "harbour", "gull", "storm", "fish", "net", "island", "coast", "ship")
DOCUMENTS, LENGTH, FILES = 80, 30, 4


def main() -> None:
    folder, random_ = Path(sys.argv[1]), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[list[str]] = [[] for _ in range(FILES)]
    for document in range(DOCUMENTS):
        words = random_.choices((KITCHEN, SEA)[document % 2], k=LENGTH)
        lines[document // 2 % FILES].append(" ".join(words) + "\n")
    for number, part in enumerate(lines):
        (folder / f"documents-{number}.txt").write_text("".join(part))


if __name__ == "__main__":
    main()
