"""How a job has ended for good: a record in staging, for attempts that YARN starts nevertheless.

skein lets YARN start the next attempt after every end but success, as long as there are attempts
left. Such an attempt finds the record, says the same once more and does nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.job import AppState, from_dict, to_dict

FILE = "ended.json"


@dataclass(frozen=True)
class Ended:
    """State and reason of the end, and the attempt that decided it."""

    state: AppState
    reason: str
    attempt: int


def write(storage: FileSystems, staging: str, ended: Ended) -> None:
    """Leave the record."""
    path = join(staging, FILE)
    fs = storage.of(path)
    with fs.open_write(f"{path}.tmp", overwrite=True) as stream:
        stream.write(json.dumps(to_dict(ended)).encode())
    fs.replace(f"{path}.tmp", path)


def read(storage: FileSystems, staging: str) -> Ended | None:
    """The record; None while the job has not ended."""
    path = join(staging, FILE)
    try:
        with storage.of(path).open_read(path) as stream:
            return from_dict(Ended, json.loads(stream.read()))
    except FileNotFoundError:
        return None
