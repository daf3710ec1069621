"""What the machine wants done. The runtime carries actions out in the order in which they come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from xlearning.am.core.tasks import SavedPart, Uploaded
from xlearning.job import AppState, ClusterMap, Task


@dataclass(frozen=True)
class Action:
    """Base of all actions."""


@dataclass(frozen=True)
class RequestContainers(Action):
    role: str
    count: int


@dataclass(frozen=True)
class ReleaseContainer(Action):
    """Tell the agent to leave and give the container back."""

    container_id: str
    reason: str


@dataclass(frozen=True)
class KillContainer(Action):
    """End the container by force."""

    container_id: str
    reason: str


@dataclass(frozen=True)
class Accept(Action):
    """Answer to a registration or a reconnection."""

    container_id: str
    stream: int
    session: str


@dataclass(frozen=True)
class Refuse(Action):
    stream: int
    reason: str


@dataclass(frozen=True)
class Prepare(Action):
    """Tell the agent who it is and how many ports it reserves."""

    container_id: str
    task: Task
    ports: int


@dataclass(frozen=True)
class Launch(Action):
    container_id: str
    task: Task
    cluster: ClusterMap


@dataclass(frozen=True)
class StopProcess(Action):
    """``grace``: seconds between TERM and KILL."""

    container_id: str
    generation: int
    grace: float
    reason: str


@dataclass(frozen=True)
class Upload(Action):
    container_id: str
    task: Task


@dataclass(frozen=True)
class Save(Action):
    """``timeout``: seconds, then the agent gives up. ``base``: only what changed since that save."""

    container_id: str
    task: Task
    save_id: str
    timeout: float
    base: str = ""


@dataclass(frozen=True)
class BeginSave(Action):
    """The time between two saves has passed: name one and let it begin, by `events.SaveRequested`."""


@dataclass(frozen=True)
class SealSave(Action):
    """List what a save holds and mark its folders as whole."""

    save_id: str
    paths: tuple[str, ...]
    parts: tuple[SavedPart, ...] = ()


@dataclass(frozen=True)
class PruneSaves(Action):
    """Keep only the newest whole saves; ``save_id`` is the newest of all."""

    save_id: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Commit(Action):
    """``failure``: why the job failed whose output is published all the same; empty after a success."""

    uploaded: tuple[Uploaded, ...]
    failure: str = ""


@dataclass(frozen=True)
class Record(Action):
    """A transition for the history."""

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PublishSnapshot(Action):
    """Something that people can see has changed."""


@dataclass(frozen=True)
class Finish(Action):
    """The last action; the last snapshot is due with it. With ``retry`` another attempt may follow."""

    state: AppState
    reason: str
    retry: bool
