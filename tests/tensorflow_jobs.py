"""What the tests of TENSORFLOW share: the example's programs, its data, and the user's Python."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

from frameworks import python
from places import Place

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "tensorflow"
MODEL = {"weights": [2.0, -1.0, 0.5], "bias": 0.25}


def make_data(work: Path, place: Place) -> str:
    """Four files of rows in the job's input, and ``held-out.csv`` in ``work``; the input's URI."""
    write = runpy.run_path(str(EXAMPLE / "make_data.py"))["write"]
    for number in range(4):
        write(work / "rows.csv", 100, number)
        place.write(f"rows/rows-{number}.csv", (work / "rows.csv").read_bytes())
    write(work / "held-out.csv", 100, 99)
    return place.at("rows")


def program(name: str, *words: object) -> tuple[object, ...]:
    """The end of a command line: ship one of the programs, and run it with the user's Python."""
    return ("--files", f"{EXAMPLE / name},held-out.csv", "--", python("tensorflow"), name, *words)


def numbers(place: Place, name: str, output: str = "out") -> list[Any]:
    """What the program wrote into the files of that name, one for each container that has it."""
    found = sorted(path for path in place.tree(output) if path.rpartition("/")[2] == name)
    return [json.loads(place.read(f"{output}/{path}")) for path in found]
