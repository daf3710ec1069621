"""What the machine knows: plain mutable records, changed by `machine` alone."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from xlearning.am.core.tasks import SavedPart, Slot
from xlearning.job import (
    AppState,
    BoardView,
    ClusterMap,
    ContainerState,
    GpuView,
    InputView,
    Member,
    SaveState,
    SaveTrigger,
    Task,
    TransferView,
)


class Phase(str, enum.Enum):
    """Where the job as a whole stands."""

    ALLOCATING = "ALLOCATING"  # waiting for the inputs and for every container
    PREPARING = "PREPARING"  # indices are given, ports are being reserved
    RUNNING = "RUNNING"
    STOPPING = "STOPPING"  # the outcome is known, what still runs is stopped
    COMMITTING = "COMMITTING"
    RELEASING = "RELEASING"
    FINISHED = "FINISHED"


@dataclass
class Container:
    """One container and everything its agent has told. Deadlines are seconds since 1970."""

    id: str
    role: str  # as requested from the back end
    host: str
    log_url: str = ""
    state: ContainerState = ContainerState.GRANTED
    task: Task | None = None
    session: str = ""
    stream: int = 0  # 0: not connected
    heard: float = 0.0
    register_by: float | None = None
    prepare_by: float | None = None
    reconnect_by: float | None = None
    stop_by: float | None = None
    stop_after: float | None = None
    ports: tuple[int, ...] = ()
    ip: str = ""
    ports_ready: bool = False
    stop_sent: bool = False
    killed: bool = False
    released: bool = False
    gone: bool = False  # the agent said goodbye, or the back end says that it ended
    ended: int = 0  # 1 for the container that ended first, and so on
    uploaded: bool = False
    stored: tuple[str, ...] = ()
    reason: str = ""
    failure: str = ""  # why its program failed, while what it had made is still on its way
    exit_code: int | None = None
    started: float | None = None
    finished: float | None = None
    progress: float | None = None
    cpu_percent: float | None = None
    memory_bytes: int | None = None
    gpus: tuple[GpuView, ...] = ()
    memory_peak: int = 0
    fetched_files: int = 0
    fetched_bytes: int = 0
    uploaded_files: int = 0
    uploaded_bytes: int = 0
    transfer: TransferView | None = None
    last_lines: tuple[str, ...] = ()

    @property
    def generation(self) -> int:
        return self.task.generation if self.task else 0

    @property
    def busy(self) -> bool:
        """Whether a user process or its preparations may be alive."""
        return self.state in (ContainerState.LAUNCHING, ContainerState.RUNNING, ContainerState.STOPPING)

    def name(self) -> str:
        """``worker:1``, or the requested role while there is no index yet."""
        return str(self.task) if self.task else self.role

    def describe_end(self) -> str:
        """One line about how it ended, for the outcome of the job."""
        words = self.failure or self.reason or self.state.value.lower()
        return f"{self.name()} ({self.id} on {self.host}): {words}"


@dataclass
class SaveRun:
    """One "Save Model": who still works on it, and how the others fared.

    ``sealing``: all parts are there and the mark of completeness is being written.
    """

    save_id: str
    paths: tuple[str, ...]
    by: str
    started: float
    trigger: SaveTrigger = SaveTrigger.COMMAND
    state: SaveState = SaveState.QUEUED
    finished: float | None = None
    end_by: float | None = None
    containers: int = 0
    pending: set[str] = field(default_factory=set)
    done: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    parts: list[SavedPart] = field(default_factory=list)
    skipped: int = 0  # saves by themselves that were left out because this one was on its way
    sealing: bool = False
    files: int = 0
    size: int = 0

    def verdict(self) -> SaveState:
        """The outcome of a save that nobody works on any more."""
        if not self.failures:
            return SaveState.SUCCEEDED
        return SaveState.PARTIAL if self.files else SaveState.FAILED


@dataclass
class State:
    """The whole job."""

    phase: Phase = Phase.ALLOCATING
    attempt: int = 1
    now: float = 0.0
    started: float = 0.0
    stalled: float = 0.0  # seconds that we ourselves stood still
    finished: float | None = None
    outcome: AppState | None = None
    reason: str = ""
    retryable: bool = True
    stopped: bool = False  # from outside, so that the back end decides whether another attempt follows
    retry: bool = False  # another attempt may follow
    containers: dict[str, Container] = field(default_factory=dict)
    slots: list[Slot] = field(default_factory=list)
    holders: dict[tuple[str, int], str] = field(default_factory=dict)  # (role, index) -> container id
    generations: dict[tuple[str, int], int] = field(default_factory=dict)
    pending: dict[str, int] = field(default_factory=dict)  # role -> requested, not yet granted
    replaced: dict[str, int] = field(default_factory=dict)
    inputs: tuple[InputView, ...] | None = None
    board: BoardView = field(default_factory=lambda: BoardView(False))
    saves: list[SaveRun] = field(default_factory=list)
    save_at: float | None = None  # when the next save begins by itself
    pruning: int = 0  # times that older saves are being deleted
    release_by: float | None = None
    commit_sent: bool = False
    notes: list[str] = field(default_factory=list)
    version: int = 0

    def saving(self) -> SaveRun | None:
        """The save that runs; there is never more than one."""
        return next((run for run in self.saves if run.state is SaveState.RUNNING), None)

    def queued(self) -> list[SaveRun]:
        """Saves that wait for the one that runs, in their order."""
        return [run for run in self.saves if run.state is SaveState.QUEUED]

    def live(self) -> list[Container]:
        """Containers whose work is not over."""
        return [c for c in self.containers.values() if not c.state.final]

    def cluster_map(self) -> ClusterMap:
        """Every place, in order of index; every place must be held."""
        cluster: dict[str, list[Member]] = {}
        for slot in sorted(self.slots, key=lambda s: (s.role, s.index)):
            container = self.containers[self.holders[slot.role, slot.index]]
            member = Member(container.host, container.ports, container.ip)
            cluster.setdefault(slot.role, []).append(member)
        return {role: tuple(members) for role, members in cluster.items()}
