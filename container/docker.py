"""The command lines of Docker for one program. Pure: what the node has comes in `Place`.

Every part of a command is a word of its own, so that blanks, quotes and line ends arrive as they are. The
program's variables go by name alone, with their values in the environment of Docker's command: the command
line, which every user of the node can read, holds no secret.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xlearning.cluster.docker import image
from xlearning.config import Config
from xlearning.errors import XLearningError

# Where an image has programs and libraries is its own affair, and so is what the node's shell had active.
_OF_THE_NODE = frozenset(
    ("PATH", "CLASSPATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "HOME")
)
# What Docker's own command would obey if it found it in its environment.
_STEERING = frozenset(("PATH", "HOME", "LD_LIBRARY_PATH", "LD_PRELOAD", "TMPDIR"))
_ACCOUNTS = ("/etc/passwd", "/etc/group")
_HOMES = ("HADOOP_HDFS_HOME", "HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_TOKEN_FILE_LOCATION", "JAVA_HOME")
_GPUS = "--gpus"
LABEL = "xlearning.application"


@dataclass(frozen=True)
class Place:
    """The node as the program's container is to see it.

    Attributes
    ----------
    name : str
        Of the container: that of YARN's.
    app_id : str
    work, log_dir : str
        Absolute paths.
    folders : sequence of str
        What YARN calls LOCAL_DIRS and LOG_DIRS.
    links : sequence of str
        Where the links in the working folder lead.
    user, group : int
        Ids that the program runs with.
    groups : collection of int
        Its further groups.
    environ : mapping
        Of the agent: Docker's own settings are taken from there.
    exists : callable
        Whether a path exists.
    """

    name: str
    app_id: str
    work: str
    log_dir: str
    folders: Sequence[str]
    links: Sequence[str]
    user: int
    group: int
    groups: Collection[int]
    environ: Mapping[str, str]
    exists: Callable[[str], bool]


@dataclass(frozen=True)
class Wanted:
    """The program and what it may use.

    Attributes
    ----------
    command : sequence of str
        Program and arguments.
    variables : mapping
        All of its variables.
    own : collection of str
        Names of those that the job itself gives.
    memory_mb, vcores, gpus : int
        0: no limit is set, or none is wanted.
    devices : sequence of str
        Ids of the GPUs that the container was given.
    stdin : bool
        Whether it is fed through its standard input.
    """

    command: Sequence[str]
    variables: Mapping[str, str]
    own: Collection[str]
    memory_mb: int
    vcores: int
    gpus: int = 0
    devices: Sequence[str] = ()
    stdin: bool = False


@dataclass(frozen=True)
class Run:
    """``docker run`` with the environment that it is to be started in."""

    command: tuple[str, ...]
    environ: Mapping[str, str]


def pull(config: Config) -> tuple[str, ...]:
    """Gets the image."""
    return (config.get("xlearning.docker.command"), "pull", image(config))


def find(config: Config, name: str) -> tuple[str, ...]:
    """Prints the process id of a container's program."""
    return (config.get("xlearning.docker.command"), "inspect", "--format", "{{.State.Pid}}", name)


def remove(config: Config, name: str) -> tuple[str, ...]:
    """Ends a container, if it is there, and leaves nothing of it."""
    return (config.get("xlearning.docker.command"), "rm", "--force", "--volumes", name)


def run(wanted: Wanted, place: Place, config: Config) -> Run:
    """``docker run`` of a program.

    Raises
    ------
    xlearning.errors.XLearningError
        The container has GPUs, and nobody knows which.
    """
    folder = "/" + config.get("xlearning.docker.worker.dir").strip("/")
    extra = shlex.split(config.get("xlearning.docker.run.args") or "")
    words = [config.get("xlearning.docker.command"), "run", "--rm", "--name", place.name]
    words += ["--label", f"{LABEL}={place.app_id}", "--network", "host"]
    words += ["--user", f"{place.user}:{place.group}"]
    words += [
        word for group in sorted({*place.groups} - {place.group}) for word in ("--group-add", str(group))
    ]
    if wanted.vcores:
        words += ["--cpus", str(wanted.vcores)]
    if wanted.memory_mb:
        words += ["--memory", f"{wanted.memory_mb}m"]
    if wanted.stdin:
        words.append("--interactive")
    words += _gpus(wanted, extra)
    words += ["--workdir", folder, *_mounts(place, folder)]
    words += [word for mount in config.get("xlearning.docker.mounts") or () for word in ("--volume", mount)]
    variables = _variables(wanted, folder)
    by_name = {name: value for name, value in variables.items() if not _steers(name)}
    for name, value in variables.items():
        words += ["--env", name if name in by_name else f"{name}={value}"]
    words += [*extra, image(config), *wanted.command]
    return Run(tuple(words), {**by_name, **client_environ(place.environ)})


def client_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """What Docker's own command gets of the agent's environment."""
    return {name: value for name, value in environ.items() if name in ("PATH", "HOME") or _is_docker(name)}


def _is_docker(name: str) -> bool:
    return name.startswith("DOCKER_")


def _steers(name: str) -> bool:
    return name in _STEERING or _is_docker(name)


def _variables(wanted: Wanted, folder: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in wanted.variables.items()
        if name in wanted.own or name not in _OF_THE_NODE
    }
    if wanted.devices:  # inside they are numbered anew
        kept = {name: value for name, value in kept.items() if name != "CUDA_VISIBLE_DEVICES"}
    amounts = {"DOCKER_CONTAINER_MEMORY": wanted.memory_mb, "DOCKER_CONTAINER_CPU": wanted.vcores}
    return {"HOME": folder, **{name: str(value) for name, value in amounts.items()}, **kept}


def _gpus(wanted: Wanted, extra: Sequence[str]) -> list[str]:
    if not wanted.gpus or any(word == _GPUS or word.startswith(f"{_GPUS}=") for word in extra):
        return []
    if not wanted.devices:
        raise XLearningError(
            f"this container has {wanted.gpus} GPUs, and it is not known which, so Docker cannot be told",
            hint="install nvidia-ml-py beside xl-submit, or give --gpus by xlearning.docker.run.args",
        )
    return [_GPUS, f'"device={",".join(wanted.devices)}"']  # quoted: Docker splits the value at commas


def _mounts(place: Place, folder: str) -> Iterator[str]:
    writable = {folder: place.work, **{one: one for one in (place.work, place.log_dir, *place.folders)}}
    readable = [*_ACCOUNTS, *(place.environ.get(name, "") for name in _HOMES), *place.links]
    for target, source in writable.items():
        if place.exists(source):
            yield from ("--mount", _mount(source, target, writable=True))
    for path in dict.fromkeys(readable):
        within = any(f"{path}/".startswith(f"{one}/") for one in writable)
        if path.startswith("/") and not within and place.exists(path):
            yield from ("--mount", _mount(path, path, writable=False))


def _mount(source: str, target: str, *, writable: bool) -> str:
    """Docker reads a line of CSV, so that paths may hold commas and quotes."""
    text = io.StringIO()
    fields = ["type=bind", f"source={source}", f"target={target}", *([] if writable else ["readonly"])]
    csv.writer(text, lineterminator="").writerow(fields)
    return text.getvalue()
