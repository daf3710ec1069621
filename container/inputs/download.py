"""Bringing a container's input files into its working folder."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.job import LaunchSpec


def fetch(
    spec: LaunchSpec,
    work: Path,
    fss: FileSystems,
    config: Config,
    *,
    cancel: threading.Event,
    on_progress: Callable[[int, int], None],
) -> None:
    """Download every file of ``spec.fetch``. Blocks.

    Parameters
    ----------
    cancel : threading.Event
        Set it from another thread to give up.
    on_progress : callable
        Called from transfer threads with (files done, bytes done).

    Raises
    ------
    xlearning.errors.XLearningError, OSError
        A file could not be fetched; `Cancelled` when ``cancel`` was set.
    """
    if not spec.fetch:
        return
    from xlearning.fs.transfer import download  # not needed, and not loaded, without input

    download(
        fss,
        spec.fetch,
        work,
        threads=config.get("xlearning.download.file.thread.nums"),
        retry_time=config.get("xlearning.fs.retry.time"),
        on_progress=on_progress,
        cancel=cancel,
    )
