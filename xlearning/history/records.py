"""What is written about a job: one record per transition, one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xlearning.config.confidential import masked
from xlearning.job import to_dict
from xlearning.jsonfile import parse

# Stands in place of records that were left out because the history had grown too long.
DROPPED = "dropped"


@dataclass(frozen=True)
class HistoryRecord:
    """One transition.

    Attributes
    ----------
    time : float
        Seconds since 1970.
    kind : str
        What happened; the names are those of the ApplicationMaster's core.
    data : mapping
        JSON-ready details.
    """

    time: float
    kind: str
    data: Mapping[str, Any]


def to_line(record: HistoryRecord) -> bytes:
    """A record as one line of JSON with a newline at its end, without the passwords of addresses."""
    data = {"time": record.time, "kind": record.kind, "data": masked(to_dict(record.data))}
    return (
        json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str).encode("utf-8", "replace")
        + b"\n"
    )


def from_lines(content: bytes) -> Iterator[HistoryRecord]:
    """The records of a segment. Lines that are torn, or are no record, are passed over."""
    for line in content.splitlines():
        try:
            found = parse(line)
            yield HistoryRecord(float(found["time"]), str(found["kind"]), dict(found["data"]))
        except (ValueError, KeyError, TypeError, OverflowError):
            continue
