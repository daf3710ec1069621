"""Keeping the event files of a job, so that they can be looked at when it has ended."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.fs.base import parent
from xlearning.fs.owners import check_owner


def keep(
    fss: FileSystems, folder: Path, target: str, user: str, config: Config, cancel: threading.Event
) -> int:
    """Upload everything below ``folder`` to the URI ``target``; how many files that were. Blocks.

    ``target`` is made for its user's eyes alone, in a folder that all users may add to. A folder that
    the program did not make, or left empty, leaves nothing behind.

    Raises
    ------
    NotBelieved
        ``target`` is there and does not belong to ``user``: ids of applications can be foreseen.
    xlearning.errors.XLearningError, OSError
        It could not be uploaded; `Cancelled` when ``cancel`` was set.
    """
    if not any(files for _, _, files in os.walk(folder)):
        return 0
    from xlearning.fs.transfer import upload  # loaded at the end, not at the start

    fs = fss.of(target)
    fs.mkdirs(parent(target), mode=0o1777)
    fs.mkdirs(target, mode=0o700)
    check_owner(fss, target, user, "the folder for event files")
    return upload(
        fss,
        folder,
        target,
        threads=config.get("xlearning.upload.output.thread.nums"),
        retry_time=config.get("xlearning.fs.retry.time"),
        cancel=cancel,
        alive=True,
    ).files
