"""Which program shows the event files, and how it is started."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.fs.base import split_uri
from xlearning.job import VISUALDL, BoardSpec

_OLD_VISUALDL = "visualDL"  # how version 1 is called, whose options are others
_HDFS = ("hdfs", "viewfs")
_LINKS = ".board"  # in the working folder


@dataclass(frozen=True)
class BoardPlace:
    """Where the board runs: folders, the user's environment, and the address it listens on."""

    work: Path
    log_dir: Path
    host: str
    environment: Mapping[str, str]
    pythonpath: str  # of our own interpreter; needed where our TensorBoard must do
    program: str = ""  # the first word of the user's command
    base: str = ""  # path of its pages as browsers see it, for a program whose pages must know


Found = tuple[Sequence[str], Mapping[str, str], Path]


def find(spec: BoardSpec, place: BoardPlace, config: Config) -> Found:
    """Command, environment, and the folder to start in.

    The user's own program when there is one (it may know more plugins), else our TensorBoard, and that
    not in the user's folder: ``-m`` would take modules out of it for its own.

    Raises
    ------
    XLearningError
        There is none.
    """
    visualdl = spec.program == VISUALDL
    key = "xlearning.board.path" if visualdl else "xlearning.tf.board.path"
    wanted = config.get(key)
    names = [wanted, _OLD_VISUALDL.lower()] if wanted == _OLD_VISUALDL else [wanted]
    path = place.environment.get("PATH")
    for name in names:
        # with a folder it is relative to the working folder, as the user's command is
        found = shutil.which(str(place.work / name) if "/" in name else name, path=path)
        if found:
            return [found], _reading(spec, place), place.work
    if own := _beside(wanted, place):
        return own, _reading(spec, place), place.log_dir
    if wanted == "tensorboard" and importlib.util.find_spec("tensorboard"):
        ours = {name: value for name, value in place.environment.items() if name != "PYTHONPATH"}
        if place.pythonpath:
            ours["PYTHONPATH"] = place.pythonpath
        return [sys.executable, "-m", "tensorboard.main"], ours, place.log_dir
    raise XLearningError(
        f"program {wanted!r} was not found along {path}",
        hint=f"set {key}, or put {spec.program} into the program's environment",
    )


def _beside(wanted: str, place: BoardPlace) -> Sequence[str]:
    """The program in the environment of the Python that the user's command names with its folder.

    It is run by that Python: the first line of a program in a moved environment leads elsewhere.
    """
    python = place.work / place.program
    if "/" not in place.program or not python.name.startswith("python"):
        return ()
    found = python.parent / wanted
    if wanted == "tensorboard" and found.is_file():
        return [str(python), "-m", "tensorboard.main"]
    return [str(found)] if found.is_file() else ()


def arguments(spec: BoardSpec, place: BoardPlace, config: Config, program: str, port: int) -> list[str]:
    """The words after ``program`` for a board that listens on ``port``."""
    folder = spec.log_dir if "://" in spec.log_dir else str(place.work / spec.log_dir)
    values = {"logdir": folder, "host": place.host, "port": port}
    if spec.program != VISUALDL:
        values["reload_interval"] = spec.reload_interval
        return [f"--{name}={value}" for name, value in values.items()]
    old = Path(program).name == _OLD_VISUALDL
    if place.base and not old:
        values["public-path"] = place.base
    values["cache_timeout" if old else "cache-timeout"] = config.get("xlearning.board.cache.timeout")
    if model := config.get("xlearning.board.modelpb"):
        values["model_pb" if old else "model"] = model
    return [f"--{name}={value}" for name, value in values.items()]


def page(spec: BoardSpec, place: BoardPlace, program: str) -> str:
    """Where its pages are below its address: VisualDL 2 has nothing at the root but redirects to there."""
    if spec.program != VISUALDL or Path(program).name == _OLD_VISUALDL:
        return ""
    return f"{place.base.lstrip('/') or 'app'}/index.html"


def _reading(spec: BoardSpec, place: BoardPlace) -> Mapping[str, str]:
    """The user's environment, with our way to HDFS where the event files are there.

    TensorBoard reads through fsspec, which finds hdfs-native by itself where Python finds both. What it
    gets of ours are these two alone.
    """
    if split_uri(spec.log_dir)[0] not in _HDFS:
        return place.environment
    links = place.work / _LINKS
    links.mkdir(exist_ok=True)
    for name in ("fsspec", "hdfs_native"):
        module = importlib.util.find_spec(name)
        if module is None or module.origin is None:
            continue
        folder = Path(module.origin).parent
        for part in (folder, *folder.parent.glob(f"{name}-*.dist-info")):
            link = links / part.name
            if not link.is_symlink():
                link.symlink_to(part)
    parts = [place.environment.get("PYTHONPATH", ""), str(links)]
    return {**place.environment, "PYTHONPATH": ":".join(filter(None, parts))}
