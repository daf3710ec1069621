"""What a job is, as the client plans it and stages it in ``job.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xlearning.job.kinds import InputStrategy, OutputStrategy, ResourceKind


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


TENSORBOARD, VISUALDL = "TensorBoard", "VisualDL"


@dataclass(frozen=True)
class BoardSpec:
    """The board: whether, beside which container, and over which folder it runs.

    Attributes
    ----------
    log_dir : str
        Relative to the working folder, or a URI.
    role : str
        Of the container; ``index`` is its number in it.
    program : str
        `TENSORBOARD` or `VISUALDL`.
    history : str
        URI of the folder in which the event files are kept, in one of the application's own below it;
        empty: nowhere.
    """

    enabled: bool
    index: int
    log_dir: str
    reload_interval: int  # seconds
    role: str = "worker"
    program: str = TENSORBOARD
    history: str = ""


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
    framework : str
        ``module:Class`` of an application type that is not one of ours; empty: ``app_type`` names it.
    modules : mapping
        Name -> text of modules with formats, or the application type, of the user's own.
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
    framework: str = ""
    modules: Mapping[str, str] = field(default_factory=dict)

    def role(self, name: str) -> RoleSpec | None:
        """The role called ``name``, or None."""
        return next((role for role in self.roles if role.name == name), None)
