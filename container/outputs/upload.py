"""Taking a container's output folders to their remote places."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xlearning.config import Config
from xlearning.container.paths import inside
from xlearning.errors import UsageError
from xlearning.fs import FileSystems

if TYPE_CHECKING:
    from xlearning.fs.transfer import FileWatch

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class Output:
    """One folder to take away: ``local`` below the working folder, ``remote`` a full URI."""

    local: str
    remote: str


@dataclass(frozen=True)
class Published:
    """What was taken away.

    Attributes
    ----------
    files, bytes : int
    places : tuple of str
        Remote folders that hold at least one file of it.
    """

    files: int
    bytes: int
    places: tuple[str, ...]


def publish(
    outputs: Sequence[Output],
    work: Path,
    fss: FileSystems,
    config: Config,
    *,
    cancel: threading.Event,
    on_progress: OnProgress,
    on_total: OnProgress | None = None,
    alive: bool = False,
    watch: Callable[[Output], FileWatch] | None = None,
) -> Published:
    """Upload every output folder. Blocks.

    A folder that the program did not make is no error: it has no files.

    Parameters
    ----------
    cancel : threading.Event
        Set it from another thread to give up.
    on_progress : callable
        Called from transfer threads with (files done, bytes done) over all folders.
    on_total : callable, optional
        Called once before, with (files, bytes) of all folders.
    alive : bool
        The program still runs, and files that it deletes meanwhile are left out.
    watch : callable, optional
        Gives for each output who decides about its files and hears of them.

    Raises
    ------
    UsageError
        Two folders would put different things under one remote name.
    xlearning.errors.XLearningError, OSError
        A file could not be uploaded; `Cancelled` when ``cancel`` was set.
    """
    from xlearning.fs.local_tree import measure
    from xlearning.fs.transfer import upload  # loaded at the end, not at the start

    present = [(item, inside(work, item.local, "output folder")) for item in outputs]
    present = [(item, folder) for item, folder in present if _is_folder(folder, item.local)]
    _check_names(present)
    if on_total is not None:
        on_total(*measure([folder for _, folder in present]))
    files, size = 0, 0
    places: list[str] = []
    for item, folder in present:
        result = upload(
            fss,
            folder,
            item.remote,
            threads=config.get("xlearning.upload.output.thread.nums"),
            retry_time=config.get("xlearning.fs.retry.time"),
            on_progress=_after(files, size, on_progress),
            cancel=cancel,
            alive=alive,
            watch=None if watch is None else watch(item),
        )
        files, size = files + result.files, size + result.bytes
        if result.files:
            places.append(item.remote)
    return Published(files, size, tuple(dict.fromkeys(places)))


def _after(files: int, size: int, on_progress: OnProgress) -> OnProgress:
    """Counts of one folder on top of those of the folders before it."""
    return lambda more_files, more_size: on_progress(files + more_files, size + more_size)


def _is_folder(path: Path, name: str) -> bool:
    if path.is_dir():
        return True
    if os.path.lexists(path):
        raise UsageError(f"output {name!r} is not a folder", hint="the program must write files below it")
    return False


def _check_names(present: Sequence[tuple[Output, Path]]) -> None:
    owners: dict[tuple[str, str], str] = {}
    clashes = []
    for item, folder in present:
        for name in sorted(path.name for path in folder.iterdir()):
            other = owners.setdefault((item.remote, name), item.local)
            if other != item.local:
                clashes.append(f"{other}/{name} and {item.local}/{name} (both to {item.remote})")
    if clashes:
        shown = ", ".join(clashes[:5])
        raise UsageError(
            f"output folders hold equal names: {shown}",
            hint="give them different names, or each output its own remote folder",
        )
