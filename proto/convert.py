"""Messages of agents -> names and fields of events; the one place that knows both.

The event classes live in ``xlearning.am.core.events``, which this room may not import, so the
translation gives the class's name and its fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xlearning.job import GpuView
from xlearning.proto import xlearning_pb2 as pb

_LINES, _LINE, _REASON = 50, 4096, 8192  # bounds of what an agent may send as text
_PLACES = 1000
_GPUS, _ID = 64, 128

Fields = dict[str, Any]


def to_event_fields(message: pb.AgentMessage) -> tuple[str, Fields]:
    """``(event name, fields)`` of a message of a registered agent.

    Raises
    ------
    ValueError
        A second registration, or an empty message.
    """
    body = message.WhichOneof("body")
    if body is None or body == "register":
        raise ValueError(f"unexpected message {body or 'without a body'}")
    name, fields = _RULES[body]
    return name, fields(getattr(message, body))


def _counts(body: Any) -> Fields:
    return {"files": body.files, "size": body.bytes}


def _reason(body: Any) -> Fields:
    return {"reason": body.reason[:_REASON]}


def _beat(body: pb.Beat) -> Fields:
    progress = body.progress if body.has_progress else None
    gpus = tuple(
        GpuView(one.id[:_ID], one.index, one.busy_percent, one.memory_bytes, one.memory_limit_bytes)
        for one in body.gpus[:_GPUS]
        if math.isfinite(one.busy_percent)
    )
    used = {"cpu_percent": body.cpu_percent, "memory_bytes": body.memory_bytes, "gpus": gpus}
    return {"progress": progress, **used}


def _exited(body: pb.ProcessExited) -> Fields:
    lines = tuple(line[:_LINE] for line in body.last_lines[-_LINES:])
    return {"exit_code": body.exit_code, "last_lines": lines, **_reason(body)}


def _uploaded(body: pb.UploadDone) -> Fields:
    return {**_counts(body), "places": tuple(body.places[:_PLACES])}


def _moving(body: Any) -> Fields:
    rate = body.rate if math.isfinite(body.rate) and body.rate >= 0 else 0.0
    return {**_counts(body), "total_files": body.total_files, "total_size": body.total_bytes, "rate": rate}


def _saved(body: Any) -> Fields:
    more = {"kept": body.kept, "changed": body.changed, "needs": tuple(body.needs)}
    return {"save_id": body.save_id, **_counts(body), **more}


_RULES: dict[str, tuple[str, Callable[[Any], Fields]]] = {
    "beat": ("Beat", _beat),
    "ports_ready": ("PortsReady", lambda b: {"ports": tuple(b.ports), "ip": b.ip}),
    "fetch_progress": ("FetchProgressed", _moving),
    "fetch_done": ("FetchDone", _counts),
    "fetch_failed": ("FetchFailed", _reason),
    "process_started": ("ProcessStarted", lambda b: {"pid": b.pid}),
    "process_failing": ("ProcessFailing", _exited),
    "process_exited": ("ProcessExited", _exited),
    "upload_progress": ("UploadProgressed", lambda b: {**_moving(b), "save": b.save}),
    "upload_done": ("UploadDone", _uploaded),
    "upload_failed": ("UploadFailed", _reason),
    "save_done": ("SaveDone", _saved),
    "save_failed": ("SaveFailed", lambda b: {"save_id": b.save_id, **_reason(b)}),
    "board_started": ("BoardStarted", lambda b: {"url": b.url[:2048], "note": b.note[:_REASON]}),
    "goodbye": ("AgentStopped", lambda b: {}),  # noqa: ARG005
}
