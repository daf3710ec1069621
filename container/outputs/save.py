"""One container's part of a Save Model: the output folders as they are while the program writes them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xlearning.config import Config
from xlearning.container.outputs.upload import Output, publish
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems, parent

if TYPE_CHECKING:
    from xlearning.fs.transfer import TransferResult

log = logging.getLogger(__name__)


def save(
    outputs: Sequence[Output],
    moves: Sequence[tuple[str, str]],
    work: Path,
    fss: FileSystems,
    config: Config,
    *,
    cancel: threading.Event,
) -> TransferResult:
    """Upload every output folder out of sight, then make it visible by a rename. Blocks.

    Each file is what it was when it was read; files that the program deletes meanwhile are left out.
    What was uploaded in vain is deleted again.

    Parameters
    ----------
    moves : sequence of (str, str)
        (URI of the folder that was uploaded to, URI under which it is to be seen).
    cancel : threading.Event
        Set it from another thread to give up.

    Raises
    ------
    xlearning.errors.XLearningError, OSError
        See `xlearning.container.outputs.upload.publish`.
    """
    from xlearning.fs.commit import rename_once
    from xlearning.fs.retry import keep_trying

    retry_time = config.get("xlearning.fs.retry.time")

    def step(action: Callable[[], None]) -> None:
        keep_trying(action, retry_time=retry_time, cancel=cancel)

    try:
        for source, _ in moves:
            step(lambda source=source: fss.of(source).mkdirs(source))  # type: ignore[misc]
        done = publish(
            outputs, work, fss, config, cancel=cancel, on_progress=lambda _files, _size: None, alive=True
        )
        for source, target in moves:
            fs = fss.of(source)
            step(lambda fs=fs, target=target: fs.mkdirs(parent(target)))  # type: ignore[misc]
            step(lambda fs=fs, s=source, t=target: rename_once(fs, s, t))  # type: ignore[misc]
    except BaseException:
        _remove([source for source, _ in moves], fss)
        raise
    return done


def _remove(folders: Sequence[str], fss: FileSystems) -> None:
    """Delete uploads that nobody will see; the end of the job deletes what cannot be deleted now."""
    for folder in folders:
        try:
            fss.of(folder).delete(folder, recursive=True)
        except (XLearningError, OSError) as error:
            log.warning("%s is left for the end of the job: %s", folder, error)
