"""How a job has ended for good: a record in staging, for attempts that YARN starts nevertheless.

skein lets YARN start the next attempt after every end but success, as long as there are attempts
left. Such an attempt finds the record, says the same once more and does nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from xlearning import jsonfile
from xlearning.errors import ClusterError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.job import AppState, to_dict

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
    """The record; None while the job has not ended.

    Raises
    ------
    ClusterError
        It is damaged.
    """
    path = join(staging, FILE)
    try:
        return jsonfile.read_record(storage.of(path), path, Ended)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ClusterError(f"{path} is damaged: {error}") from error
