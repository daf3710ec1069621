"""TensorBoard or VisualDL: which, beside which container, over which folder."""

from __future__ import annotations

from pathlib import Path

from xlearning.client.problems import Problem
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.fs.base import join, split_uri
from xlearning.job import PS, TENSORBOARD, VISUALDL, WORKER, BoardSpec

HISTORY = "xlearning.tf.board.history.dir"
_TENSORFLOW = "TENSORFLOW"
# Where one of these is not as it ever was, VisualDL is meant. Old site files name every property.
_OF_VISUALDL = {
    "xlearning.board.path": "visualDL",
    "xlearning.board.modelpb": None,
    "xlearning.board.cache.timeout": 20,
}


def plan(
    app_type: str,
    numbers: tuple[int, int, int],
    config: Config,
    fss: FileSystems,
    problems: list[Problem],
    notes: list[str],
    *,
    local: bool,
) -> BoardSpec:
    """The board of a job.

    Parameters
    ----------
    numbers : tuple of int
        Workers, workers that were asked for, and parameter servers.
    local : bool
        The job runs on this machine.
    """
    enabled = bool(config.get("xlearning.tf.board.enable"))
    role, index = _container(numbers, config, problems, notes) if enabled else (WORKER, 0)
    program = _program(app_type, config, notes) if enabled else TENSORBOARD
    log_dir = config.get("xlearning.tf.board.log.dir")
    if log_dir.startswith("/") or "://" in log_dir or log_dir.startswith("hdfs:"):
        uri = fss.resolve(log_dir)
        log_dir = log_dir if split_uri(uri)[0] == "file" else uri
    if program == VISUALDL and "://" in log_dir:
        notes.append(f"VisualDL may not be able to read {log_dir}: it knows local folders")
    return BoardSpec(
        enabled=enabled,
        index=index,
        log_dir=log_dir,
        reload_interval=config.get("xlearning.tf.board.reload.interval"),
        role=role,
        program=program,
        history=history_root(config, fss, local=local) if enabled else "",
    )


def history_root(config: Config, fss: FileSystems, *, local: bool) -> str:
    """URI of the folder with the event files of all jobs, those of each in a folder of its own.

    Without a setting, local jobs keep theirs below ``xlearning.local.dir``: a folder in /tmp would belong
    to whoever runs the first job.
    """
    if local and not config.is_set(HISTORY):
        return (Path(config.get("xlearning.local.dir")).absolute() / "eventLog").as_uri()
    return fss.resolve(config.get(HISTORY))


def kept_in(spec: BoardSpec, app_id: str) -> str:
    """Where the event files of an application are when it has ended; empty where they went with it."""
    if "://" in spec.log_dir or spec.log_dir.startswith("/"):
        return spec.log_dir
    return join(spec.history, app_id) if spec.history else ""


def _container(
    numbers: tuple[int, int, int], config: Config, problems: list[Problem], notes: list[str]
) -> tuple[str, int]:
    """Role and index of the container that the board runs beside."""
    workers, wanted_workers, servers = numbers
    index = config.get("xlearning.tf.board.worker.index")
    if config.get("xlearning.tf.board.ps.enable"):
        if index < servers:
            return PS, index
        there = f"there are {servers}" if servers else "there is none"
        problems.append(
            Problem(
                f"TensorBoard is to run beside parameter server {index}, but {there}",
                "give another --board-index or --ps-num, or set xlearning.tf.board.ps.enable=false",
            )
        )
    elif index >= workers:
        if index >= wanted_workers > 1:
            fix = f"give a number from 0 to {workers - 1}"
            problems.append(Problem(f"--board-index {index}: there is no such worker", fix))
        else:
            notes.append(f"TensorBoard runs beside worker 0: there is no worker {index}")
            index = 0
    return WORKER, index


def _program(app_type: str, config: Config, notes: list[str]) -> str:
    wanted = [name for name, usual in _OF_VISUALDL.items() if config.get(name) not in (usual, "")]
    if app_type == _TENSORFLOW:
        if wanted:
            notes.append(f"{wanted[0]} has no effect: type {_TENSORFLOW} has TensorBoard, not VisualDL")
        return TENSORBOARD
    return VISUALDL if wanted or app_type == VISUALDL.upper() else TENSORBOARD
