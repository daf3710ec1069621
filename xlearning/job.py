"""What a job is and how it stands: plain frozen records that every room understands.

``JobSpec`` is what the client plans and stages as ``job.json``; ``Snapshot`` is what the
ApplicationMaster publishes for the page, the API, the client and the history.
All records turn into JSON-ready dictionaries with `to_dict` and back with `from_dict`.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args, get_origin

T = TypeVar("T")

WORKER, PS, CHIEF, EVALUATOR, SCHEDULER = "worker", "ps", "chief", "evaluator", "scheduler"


class InputStrategy(str, enum.Enum):
    """How input files reach the program."""

    DOWNLOAD = "DOWNLOAD"
    PLACEHOLDER = "PLACEHOLDER"
    STREAM = "STREAM"

    @classmethod
    def _missing_(cls, value: object) -> InputStrategy | None:
        return cls.STREAM if value == "INPUTFORMAT" else None  # its older name


class OutputStrategy(str, enum.Enum):
    """How output leaves the container."""

    UPLOAD = "UPLOAD"
    STREAM = "STREAM"

    @classmethod
    def _missing_(cls, value: object) -> OutputStrategy | None:
        return cls.STREAM if value == "OUTPUTFORMAT" else None  # its older name


class ResourceKind(str, enum.Enum):
    """What a localized resource is: a file, or an archive that is unpacked into a folder."""

    FILE = "FILE"
    ARCHIVE = "ARCHIVE"


class AppState(str, enum.Enum):
    """State of an application, in YARN's words."""

    SUBMITTED = "SUBMITTED"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    KILLED = "KILLED"

    @property
    def final(self) -> bool:
        return self in (AppState.SUCCEEDED, AppState.FAILED, AppState.KILLED)


class ContainerState(str, enum.Enum):
    """State of one container, in the order in which a healthy one passes them."""

    GRANTED = "GRANTED"  # YARN gave it; its agent has not called yet
    REGISTERED = "REGISTERED"  # its agent is connected
    PREPARING = "PREPARING"  # it has a role and an index and reserves its ports
    LAUNCHING = "LAUNCHING"  # it fetches its input
    RUNNING = "RUNNING"  # the user process runs
    STOPPING = "STOPPING"  # the user process was told to stop
    UPLOADING = "UPLOADING"  # the process has ended, its output is on the way
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    STOPPED = "STOPPED"  # ended by us because nobody needs it any more
    LOST = "LOST"  # died or fell silent before its work was done

    @property
    def final(self) -> bool:
        return self in _FINAL


_FINAL = frozenset(
    (ContainerState.SUCCEEDED, ContainerState.FAILED, ContainerState.STOPPED, ContainerState.LOST)
)


@dataclass(frozen=True)
class RoleSpec:
    """One role and what each of its containers gets.

    Attributes
    ----------
    memory_limit_mb : int
        What memory that grows with the attempt cannot pass; 0: not known.
    """

    name: str
    instances: int
    memory_mb: int
    vcores: int
    memory_limit_mb: int = 0


@dataclass(frozen=True)
class InputSpec:
    """``--input remote[,remote...]#local``: patterns (full URIs, globs allowed) under one local name."""

    local: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class OutputSpec:
    """``--output remote#local``: the folder ``local`` of a container goes to the URI ``remote``."""

    remote: str
    local: str


@dataclass(frozen=True)
class LocalResource:
    """A file or archive placed in every container's working folder as ``name``.

    Attributes
    ----------
    kept : bool
        Whether it stays where it is, unchanged, when the application has ended, so that nodes may keep
        their copy for the user's next one.
    """

    name: str
    uri: str
    kind: ResourceKind = ResourceKind.FILE
    kept: bool = False


@dataclass(frozen=True)
class BoardSpec:
    """TensorBoard: whether, on which worker, and over which folder it runs."""

    enabled: bool
    index: int
    log_dir: str
    reload_interval: int  # seconds


@dataclass(frozen=True)
class SearchPaths:
    """Where the user's program looks for things, besides what its node offers.

    Attributes
    ----------
    jars : tuple of str
        Names of jars in the working folder, for ``CLASSPATH``.
    jars_first : bool
        Whether they stand before the rest of it.
    path, library_path : str
        Appended to ``PATH`` and ``LD_LIBRARY_PATH``; empty: nothing.
    """

    jars: tuple[str, ...] = ()
    jars_first: bool = True
    path: str = ""
    library_path: str = ""


@dataclass(frozen=True)
class JobSpec:
    """Everything the ApplicationMaster needs to know; staged as ``job.json``.

    Attributes
    ----------
    command : tuple of str
        The user's program, one argument per item; run without a shell.
    env : mapping
        ``--env`` and ``xlearning.container.env.*``: variables for the user process.
    template : bool
        Whether the placeholders of `xlearning.template` are filled in, in ``command`` and ``env``.
    properties : mapping
        Every effective property that is not a default, by canonical name, in its text form.
    staging : str
        URI of this application's own staging folder (``<staging>/<application id>``).
    default_fs : str
        URI of the default file system; paths without a scheme were made absolute against it.
    modules : mapping
        Name -> text of modules with formats of the user's own.
    """

    app_id: str
    app_name: str
    app_type: str
    user: str
    command: tuple[str, ...]
    roles: tuple[RoleSpec, ...]
    staging: str
    default_fs: str
    submitted: float = 0.0
    inputs: tuple[InputSpec, ...] = ()
    input_strategy: InputStrategy = InputStrategy.DOWNLOAD
    outputs: tuple[OutputSpec, ...] = ()
    output_strategy: OutputStrategy = OutputStrategy.UPLOAD
    output_index: int | None = None
    resources: tuple[LocalResource, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    board: BoardSpec = BoardSpec(False, 0, "eventLog", 1)
    search: SearchPaths = SearchPaths()
    template: bool = False
    modules: Mapping[str, str] = field(default_factory=dict)

    def role(self, name: str) -> RoleSpec | None:
        """The role called ``name``, or None."""
        return next((role for role in self.roles if role.name == name), None)


@dataclass(frozen=True)
class FetchItem:
    """One file to download: from ``uri`` to ``target``, a path relative to the working folder."""

    uri: str
    target: str
    size: int  # bytes, as listed


@dataclass(frozen=True, slots=True)
class InputSplit:
    """``length`` bytes from ``start`` of the file ``uri``, which had ``size`` bytes when it was listed.

    Attributes
    ----------
    hosts : tuple of str
        Where these bytes lie, the best first; empty where it is not known.
    exact : bool
        Whether the records are exactly these bytes, whatever the format's rule about borders says.
    parts : tuple of InputSplit
        What is read one after the other, where a format joins pieces of several files; ``uri`` is then
        that of the first one, ``length`` the sum.
    data : str
        What the format itself wants to know again when it reads the split.
    """

    uri: str
    start: int
    length: int
    size: int
    hosts: tuple[str, ...] = ()
    exact: bool = False
    parts: tuple[InputSplit, ...] = ()
    data: str = ""


@dataclass(frozen=True)
class StreamSpec:
    """What one program reads from its standard input: its splits, ``epochs`` times.

    Attributes
    ----------
    inputs : tuple of str
        Local names of the job's inputs.
    origins : tuple of int
        For each split the input that it is of, as an index of ``inputs``; empty: not known.
    seed : int or None
        Every epoch has its own order, which follows from the seed; None: the order of ``splits``.
    """

    format: str
    splits: tuple[InputSplit, ...]
    epochs: int = 1
    inputs: tuple[str, ...] = ()
    origins: tuple[int, ...] = ()
    seed: int | None = None

    def packed(self) -> dict[str, Any]:
        """What `to_dict` gives: files once, and a short row for each split, as there may be a million."""
        files: dict[tuple[str, int], int] = {}
        rows = []
        for split in self.splits:
            file = files.setdefault((split.uri, split.size), len(files))
            row: list[Any] = [file, split.start, split.length]
            if split.hosts or split.exact or split.parts or split.data:
                row.append({name: to_dict(getattr(split, name)) for name in _RARE})
            rows.append(row)
        return {
            "format": self.format,
            "epochs": self.epochs,
            "inputs": list(self.inputs),
            "origins": list(self.origins),
            "seed": self.seed,
            "files": list(files),
            "rows": rows,
        }

    @classmethod
    def unpacked(cls, data: Mapping[str, Any]) -> StreamSpec:
        """The counterpart of `packed`; errors as of `from_dict`."""
        files = [(_build(str, uri), _build(int, size)) for uri, size in _list(data["files"])]
        splits = []
        for file, start, length, *rare in _list(data["rows"]):
            uri, size = files[file]
            if rare:
                fields = {"uri": uri, "size": size, "start": start, "length": length, **rare[0]}
                splits.append(_build(InputSplit, fields))
            else:
                if not (isinstance(start, int) and isinstance(length, int)):
                    raise TypeError(f"{_shortened([start, length])} are no numbers of bytes")
                splits.append(InputSplit(uri, start, length, size))
        return cls(
            data["format"],
            tuple(splits),
            data["epochs"],
            tuple(data.get("inputs", ())),
            tuple(data.get("origins", ())),
            data.get("seed"),
        )


_RARE = ("hosts", "exact", "parts", "data")


@dataclass(frozen=True)
class SinkSpec:
    """Where what a program writes to its standard output goes.

    Attributes
    ----------
    remote : str
        Folder (URI) of the files until the commit.
    index : int
        Number of the worker, for their names.
    """

    format: str
    remote: str
    index: int


@dataclass(frozen=True)
class LaunchSpec:
    """What an agent needs to run the user's program; rendered by the ApplicationMaster.

    Attributes
    ----------
    env : mapping
        Variables of the user process on top of those that the agent takes from its node.
    overflow : mapping
        Variable -> file name: where the variable goes when the whole environment is too long.
    folders : tuple of str
        Folders (relative) that exist before the program starts.
    files : mapping
        Small text files (relative name -> content) written before the program starts.
    search : SearchPaths
        Added to the search paths of node and ``env``.
    board : BoardSpec or None
        Set on the one container that runs TensorBoard.
    stream : StreamSpec or None
        What goes to the program's standard input; None: nothing.
    sink : SinkSpec or None
        What becomes of its standard output; None: it goes to the logs.
    properties, modules : mapping
        Those of the job, see `JobSpec`.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    overflow: Mapping[str, str] = field(default_factory=dict)
    fetch: tuple[FetchItem, ...] = ()
    folders: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    search: SearchPaths = SearchPaths()
    board: BoardSpec | None = None
    stream: StreamSpec | None = None
    sink: SinkSpec | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class InputView:
    """One input as listed: how many files and bytes its patterns matched."""

    local: str
    patterns: tuple[str, ...]
    files: int
    size: int  # bytes


@dataclass(frozen=True)
class BoardView:
    """TensorBoard as the page shows it. ``url`` is empty while it is not up; ``note`` says why."""

    enabled: bool
    url: str = ""
    log_dir: str = ""
    note: str = ""


@dataclass(frozen=True)
class TransferView:
    """What a container brings in or takes away at the moment.

    Attributes
    ----------
    what : str
        ``input`` or ``output``.
    files, size : int
        Files and bytes that are done; ``total_files`` and ``total_size`` of so many.
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


class SaveState(str, enum.Enum):
    """How one "Save Model" stands."""

    QUEUED = "QUEUED"  # waits for the end of the one that runs
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"  # the parts of all containers are there
    PARTIAL = "PARTIAL"  # those of some are
    FAILED = "FAILED"

    @property
    def final(self) -> bool:
        return self not in (SaveState.QUEUED, SaveState.RUNNING)


class SaveTrigger(str, enum.Enum):
    """What made a "Save Model" begin."""

    COMMAND = "command"  # xl-submit save, or the Python API
    PAGE = "page"
    INTERVAL = "interval"  # xlearning.interresult.upload.interval


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


def to_dict(record: Any) -> Any:
    """A JSON-ready copy of a record: dictionaries, lists, numbers, strings and None."""
    if isinstance(record, StreamSpec):
        return record.packed()
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return {f.name: to_dict(getattr(record, f.name)) for f in dataclasses.fields(record)}
    if isinstance(record, enum.Enum):
        return record.value
    if isinstance(record, Mapping):
        return {str(key): to_dict(value) for key, value in record.items()}
    if isinstance(record, (list, tuple)):
        return [to_dict(item) for item in record]
    if isinstance(record, (set, frozenset)):
        return sorted(to_dict(item) for item in record)
    return record


def from_dict(kind: type[T], data: Any) -> T:
    """The record of type ``kind`` that `to_dict` turned into ``data``.

    Unknown keys are ignored, so that an older reader accepts what a newer writer added.

    Raises
    ------
    KeyError
        A field without a default is missing.
    ValueError
        An enumeration does not know the value.
    TypeError, AttributeError, OverflowError
        Something is of another type, or too large for it.
    """
    return typing.cast(T, _build(kind, data))


_SCALARS: Mapping[Any, Any] = {str: str, int: int, bool: bool, float: (int, float)}


def _list(data: Any) -> Any:
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"{_shortened(data)} is no list")
    return data


def _shortened(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 40 else f"{text[:40]}..."


def _build(kind: Any, data: Any) -> Any:
    origin = get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        inner = [arg for arg in get_args(kind) if arg is not type(None)]
        return None if data is None else _build(inner[0], data)
    if origin is tuple:
        item = get_args(kind)[0]
        return tuple(_build(item, value) for value in _list(data))
    if origin is frozenset:
        return frozenset(_build(get_args(kind)[0], value) for value in _list(data))
    if origin is not None and issubclass(origin, Mapping):
        value_kind = get_args(kind)[1]
        return {key: _build(value_kind, value) for key, value in data.items()}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(data)
    if kind is StreamSpec:
        return StreamSpec.unpacked(data)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        values = {}
        for f in dataclasses.fields(kind):
            if f.name in data:
                values[f.name] = _build(hints[f.name], data[f.name])
            elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
                raise KeyError(f"{getattr(kind, '__name__', kind)}.{f.name} is missing")
        return kind(**values)
    if kind in _SCALARS and not isinstance(data, _SCALARS[kind]):
        raise TypeError(f"{_shortened(data)} is no {kind.__name__}")
    return float(data) if kind is float else data
