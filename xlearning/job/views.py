"""How a job stands, as the page, the client and the history show it."""

from __future__ import annotations

from dataclasses import dataclass

from xlearning.job.kinds import (
    AppState,
    ContainerState,
    InputStrategy,
    OutputStrategy,
    SaveState,
    SaveTrigger,
)
from xlearning.job.spec import TENSORBOARD, OutputSpec, RoleSpec


@dataclass(frozen=True)
class InputView:
    """One input as listed: how many files and bytes its patterns matched."""

    local: str
    patterns: tuple[str, ...]
    files: int
    size: int  # bytes


@dataclass(frozen=True)
class BoardView:
    """The board as the page shows it. ``url`` is empty while it is not up; ``note`` says why."""

    enabled: bool
    url: str = ""
    log_dir: str = ""
    note: str = ""
    program: str = TENSORBOARD


@dataclass(frozen=True)
class TransferView:
    """What a container brings in or takes away at the moment.

    Attributes
    ----------
    what : str
        ``input``, ``output``, or ``save`` for what a Save Model copies.
    files, size : int
        Files and bytes that are done; ``total_files`` and ``total_size`` of so many, 0 where that is not
        counted: input that is fed to a program is counted in bytes.
    rate : float
        Bytes a second, over the last seconds.
    """

    what: str
    files: int
    size: int
    total_files: int
    total_size: int
    rate: float


@dataclass(frozen=True)
class GpuView:
    """Use of one GPU of a container.

    Attributes
    ----------
    id : str
        NVIDIA's name of it (UUID).
    index : int
        Its number on the node.
    busy_percent : float
        Share of the time in which it computed.
    memory_bytes, memory_limit_bytes : int
        Memory in use, whoever uses it, and all of it.
    """

    id: str
    index: int
    busy_percent: float
    memory_bytes: int
    memory_limit_bytes: int


@dataclass(frozen=True)
class ContainerView:
    """One container as the page and the client show it. Times are seconds since 1970 (UTC)."""

    id: str
    role: str
    index: int | None
    generation: int
    host: str
    state: ContainerState
    reason: str = ""
    chief: bool = False
    exit_code: int | None = None  # as the shell counts: 128 + n for signal n
    started: float | None = None  # of the user process
    finished: float | None = None
    ended: int = 0  # 1 for the container of the job that ended first, and so on; 0 while it lives
    progress: float | None = None  # 0..1, from "reporter progress" lines
    cpu_percent: float | None = None  # of one core, whole process tree
    memory_bytes: int | None = None  # resident, whole process tree
    memory_limit_bytes: int = 0
    input_files: int = 0
    fetched_files: int = 0
    fetched_bytes: int = 0
    uploaded_files: int = 0
    uploaded_bytes: int = 0
    transfer: TransferView | None = None  # while it lasts
    log_url: str = ""
    last_lines: tuple[str, ...] = ()  # of the program's output, kept when it ended badly
    gpus: tuple[GpuView, ...] = ()  # while the program runs, where it has some and they can be asked


@dataclass(frozen=True)
class SaveView:
    """One "Save Model" as the page and the client show it. Times are seconds since 1970 (UTC).

    Attributes
    ----------
    id : str
        When it was asked for, as in the folder's name: ``2026_11_29_20_39_31``.
    paths : tuple of str
        One folder per output.
    by : str
        Who asked for it.
    started : float
        When it began; while it is queued: when it was asked for.
    containers, done : int
        How many containers take part, and how many parts are whole.
    files, size : int
        Files and bytes of the whole parts.
    failures : tuple of str
        Why parts are missing, one line each; the first few of them.
    trigger : SaveTrigger
    notes : tuple of str
        What else a person should read about it.
    """

    id: str
    paths: tuple[str, ...]
    state: SaveState
    by: str
    started: float
    finished: float | None
    containers: int
    done: int
    files: int = 0
    size: int = 0  # bytes
    failures: tuple[str, ...] = ()
    trigger: SaveTrigger = SaveTrigger.COMMAND
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Snapshot:
    """How a job stands at one moment. ``version`` grows with every change.

    Attributes
    ----------
    saves : tuple of SaveView
        The newest first.
    save_note : str
        Why no save can be asked for at the moment; empty when one can.
    retry : bool
        The attempt has ended, and another one may follow.
    said_again : bool
        The job has ended for good, and YARN starts one more attempt that only says so once more.
    notes : tuple of str
        What else a person should read about it.
    output_strategy : OutputStrategy
        With ``STREAM`` the folders in ``outputs`` are not there, see `written_to`.
    """

    app_id: str
    app_name: str
    app_type: str
    user: str
    attempt: int
    state: AppState
    phase: str
    reason: str
    version: int
    submitted: float
    started: float
    finished: float | None
    progress: float | None
    command: tuple[str, ...]
    roles: tuple[RoleSpec, ...]
    containers: tuple[ContainerView, ...]
    inputs: tuple[InputView, ...]
    input_strategy: InputStrategy
    outputs: tuple[OutputSpec, ...]
    board: BoardView
    page_url: str = ""
    saves: tuple[SaveView, ...] = ()
    save_note: str = ""
    retry: bool = False
    said_again: bool = False
    notes: tuple[str, ...] = ()
    output_strategy: OutputStrategy = OutputStrategy.UPLOAD

    def written_to(self, output: OutputSpec) -> str:
        """Where programs write what goes to an output, in words for people."""
        streamed = self.output_strategy is OutputStrategy.STREAM
        return "standard output" if streamed else f"./{output.local}"
