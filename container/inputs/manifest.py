"""What tells a program which splits it is fed."""

from __future__ import annotations

import json
from pathlib import Path

from xlearning.job import InputSplit, StreamSpec

FILE = ".xlearning-input-splits.json"
VARIABLE = "XLEARNING_INPUT_SPLITS_FILE"
EPOCHS = "XLEARNING_INPUT_EPOCHS"


def variables(spec: StreamSpec, work: Path) -> dict[str, str]:
    """Variables for the program; those of Hadoop Streaming where one file or split is all there is."""
    found = {VARIABLE: str(work / FILE), EPOCHS: str(spec.epochs)}
    one = spec.splits[0] if len({split.uri for split in spec.splits}) == 1 else None
    if one is None or one.parts:
        return found
    told = {"file": one.uri}
    if len(spec.splits) == 1:
        told |= {"start": str(one.start), "length": str(one.length)}
    for name, value in told.items():
        found |= {f"mapreduce_map_input_{name}": value, f"map_input_{name}": value}
    return found


def text(spec: StreamSpec) -> str:
    """The file: format, epochs, seed and the splits in their order, as JSON."""
    origins = spec.origins or (None,) * len(spec.splits)
    splits = [
        {**_told(split), "input": None if origin is None else spec.inputs[origin]}
        for split, origin in zip(spec.splits, origins, strict=True)
    ]
    about = {"format": spec.format, "epochs": spec.epochs, "seed": spec.seed}
    return json.dumps({**about, "splits": splits}) + "\n"


def _told(split: InputSplit) -> dict[str, object]:
    told: dict[str, object] = {"uri": split.uri, "start": split.start, "length": split.length}
    if split.parts:
        told["parts"] = [_told(part) for part in split.parts]
    return told
