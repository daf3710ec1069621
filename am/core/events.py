"""What can happen to a job. Only `Tick` carries time; everything else happened "at the last tick"."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from xlearning.job import GpuView, InputView, SaveTrigger, from_dict, to_dict


@dataclass(frozen=True)
class Event:
    """Base of all events."""


@dataclass(frozen=True)
class Tick(Event):
    """``now``: seconds since 1970, never going back."""

    now: float


@dataclass(frozen=True)
class AttemptStarted(Event):
    """First event of an attempt. ``requested``: the back end was asked for all containers at submit."""

    now: float
    attempt: int
    requested: bool


@dataclass(frozen=True)
class AlreadyCommitted(Event):
    """An earlier attempt's commit was found and has been completed.

    ``failure``: why that attempt had failed, if what it had made was published nevertheless.
    """

    attempt: int
    failure: str = ""


# ---- inputs -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InputListed(Event):
    inputs: tuple[InputView, ...]


@dataclass(frozen=True)
class InputFailed(Event):
    reason: str


@dataclass(frozen=True)
class LaunchFailed(Event):
    """What the containers shall run cannot be told."""

    reason: str


# ---- back end -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ContainerGranted(Event):
    container_id: str
    role: str
    host: str
    log_url: str = ""


@dataclass(frozen=True)
class ContainerCompleted(Event):
    container_id: str
    exit_code: int | None
    diagnostics: str


@dataclass(frozen=True)
class ContainerLost(Event):
    """The node is gone; the processes on it may still run."""

    container_id: str
    diagnostics: str


@dataclass(frozen=True)
class AllocationTimedOut(Event):
    role: str
    diagnostics: str


@dataclass(frozen=True)
class BackendFailed(Event):
    """A call to the back end failed for good (after the retries of whoever made it)."""

    call: str
    reason: str


# ---- agents -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AgentRegistered(Event):
    """``stream`` numbers the connection; ``session`` is the token it will get if it is accepted."""

    container_id: str
    stream: int
    session: str
    attempt: int
    host: str = ""


@dataclass(frozen=True)
class AgentReconnected(Event):
    container_id: str
    stream: int
    session: str


@dataclass(frozen=True)
class StreamEnded(Event):
    container_id: str
    stream: int


@dataclass(frozen=True)
class AgentEvent(Event):
    """A message of an agent; ``generation`` is the one that it was given."""

    container_id: str
    generation: int


@dataclass(frozen=True)
class AgentStopped(AgentEvent):
    """The agent said goodbye."""


@dataclass(frozen=True)
class Beat(AgentEvent):
    progress: float | None = None
    cpu_percent: float = 0.0
    memory_bytes: int = 0
    gpus: tuple[GpuView, ...] = ()


@dataclass(frozen=True)
class PortsReady(AgentEvent):
    """``ip``: the address that the ports are bound on."""

    ports: tuple[int, ...] = ()
    ip: str = ""


@dataclass(frozen=True)
class FetchProgressed(AgentEvent):
    """``rate``: bytes a second."""

    files: int = 0
    size: int = 0
    total_files: int = 0
    total_size: int = 0
    rate: float = 0.0


@dataclass(frozen=True)
class FetchDone(AgentEvent):
    files: int = 0
    size: int = 0


@dataclass(frozen=True)
class FetchFailed(AgentEvent):
    reason: str = ""


@dataclass(frozen=True)
class ProcessStarted(AgentEvent):
    pid: int = 0


@dataclass(frozen=True)
class ProcessFailing(AgentEvent):
    """The program has failed by itself; `ProcessExited` follows when nothing of it is left."""

    exit_code: int = 0
    last_lines: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class ProcessExited(AgentEvent):
    exit_code: int = 0
    last_lines: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class UploadProgressed(AgentEvent):
    """``rate``: bytes a second; ``save``: it is not the output that is published at the end."""

    files: int = 0
    size: int = 0
    total_files: int = 0
    total_size: int = 0
    rate: float = 0.0
    save: bool = False


@dataclass(frozen=True)
class UploadDone(AgentEvent):
    files: int = 0
    size: int = 0
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class UploadFailed(AgentEvent):
    reason: str = ""


@dataclass(frozen=True)
class SaveDone(AgentEvent):
    """``kept``: unchanged files, which lie in the saves ``needs``; ``changed``: files that were torn."""

    save_id: str = ""
    files: int = 0
    size: int = 0
    kept: int = 0
    changed: int = 0
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class SaveFailed(AgentEvent):
    save_id: str = ""
    reason: str = ""


@dataclass(frozen=True)
class BoardStarted(AgentEvent):
    url: str = ""
    note: str = ""


# ---- requests and results -----------------------------------------------------------------------


@dataclass(frozen=True)
class SaveRequested(Event):
    """``paths``: the folders that it fills, one for each output."""

    save_id: str
    by: str
    paths: tuple[str, ...] = ()
    trigger: SaveTrigger = SaveTrigger.COMMAND


@dataclass(frozen=True)
class SaveSealed(Event):
    """The mark of completeness is written."""

    save_id: str


@dataclass(frozen=True)
class SaveSealFailed(Event):
    save_id: str
    reason: str


@dataclass(frozen=True)
class SavesPruned(Event):
    """``gone``: ids of the saves that were deleted; ``problems``: why others were not."""

    gone: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class CommitDone(Event):
    pass


@dataclass(frozen=True)
class CommitFailed(Event):
    reason: str


@dataclass(frozen=True)
class KillRequested(Event):
    by: str
    reason: str = ""


@dataclass(frozen=True)
class AmStopped(Event):
    """The back end told the ApplicationMaster to stop. ``again``: another attempt may follow."""

    reason: str
    again: bool = False


def encode(event: Event) -> dict[str, Any]:
    """A JSON-ready form of an event, for recording."""
    return {"event": type(event).__name__, **to_dict(event)}


def decode(data: dict[str, Any]) -> Event:
    """The event that `encode` turned into ``data``; `ValueError` for an unknown kind."""
    kind = getattr(sys.modules[__name__], str(data.get("event")), None)
    if not (isinstance(kind, type) and issubclass(kind, Event)):
        raise ValueError(f"unknown event {data.get('event')!r}")
    return from_dict(kind, data)
