"""What one container is told to do: what it fetches, reads, runs and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from xlearning.job.records import a_list, build, shortened, to_dict
from xlearning.job.spec import BoardSpec, SearchPaths


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
        files = [(build(str, uri), build(int, size)) for uri, size in a_list(data["files"])]
        splits = []
        for file, start, length, *rare in a_list(data["rows"]):
            uri, size = files[file]
            if rare:
                fields = {"uri": uri, "size": size, "start": start, "length": length, **rare[0]}
                splits.append(build(InputSplit, fields))
            else:
                if not (isinstance(start, int) and isinstance(length, int)):
                    raise TypeError(f"{shortened([start, length])} are no numbers of bytes")
                splits.append(InputSplit(uri, start, length, size))
        return cls(
            build(str, data["format"]),
            tuple(splits),
            build(int, data["epochs"]),
            tuple(build(str, name) for name in a_list(data.get("inputs", ()))),
            tuple(build(int, number) for number in a_list(data.get("origins", ()))),
            None if data.get("seed") is None else build(int, data["seed"]),
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
    interfaces : mapping
        Variable -> host: it names the network interface that leads there, unless ``env`` has it.
    search : SearchPaths
        Added to the search paths of node and ``env``.
    board : BoardSpec or None
        Set on the one container that runs TensorBoard.
    stream : StreamSpec or None
        What goes to the program's standard input; None: nothing.
    lend_ports : bool
        Whether the reserved ports are unbound just before the program starts, which cannot share them.
    own_files : int
        Files of the input, whole or in part, that this container alone reads.
    sink : SinkSpec or None
        What becomes of its standard output; None: it goes to the logs.
    properties, modules : mapping
        Those of the job, see `JobSpec`.
    memory_mb, vcores, gpus : int
        What the container has; 0: not known, or none.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    overflow: Mapping[str, str] = field(default_factory=dict)
    fetch: tuple[FetchItem, ...] = ()
    folders: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    interfaces: Mapping[str, str] = field(default_factory=dict)
    search: SearchPaths = field(default_factory=SearchPaths)
    board: BoardSpec | None = None
    stream: StreamSpec | None = None
    sink: SinkSpec | None = None
    own_files: int = 0
    lend_ports: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    memory_mb: int = 0
    vcores: int = 0
    gpus: int = 0
