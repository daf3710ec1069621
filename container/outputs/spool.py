"""Parts of an output: written on the container's disk, and taken away one by one once they are whole.

A file system that is away for a while so costs time and not the output; the disk holds two parts at most.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

from xlearning.config import Config
from xlearning.container.amount import Amount
from xlearning.container.outputs.upload import Published
from xlearning.errors import StorageError, UsageError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.fs.retry import Cancelled
from xlearning.job import SinkSpec

_WAITING = 2  # whole parts that are not stored yet


class Spool:
    """The parts of one program's output; see `xlearning.formats.output.base.Parts`.

    Parameters
    ----------
    folder : Path
        A place of its own on the container's disk.
    on_failure : callable
        Called from another thread when a part cannot be stored.

    Attributes
    ----------
    amount : Amount
        What is stored so far.
    place : str
        The newest part, in words.
    """

    def __init__(
        self, spec: SinkSpec, folder: Path, fss: FileSystems, config: Config, on_failure: Callable[[], None]
    ) -> None:
        self.limit: int = config.get("xlearning.outputformat.part.size")
        self.amount = Amount()
        self.place = spec.remote
        self._spec, self._folder, self._fss = spec, folder, fss
        self._retry_time = config.get("xlearning.fs.retry.time")
        self._on_failure = on_failure
        self._cancel = threading.Event()
        self._moved = threading.Condition()
        self._made = 0
        self._open: dict[str, _Part] = {}
        self._whole: deque[Path] = deque()
        self._stored: set[str] = set()
        self._failure: Exception | None = None
        self._over = False
        self._thread: threading.Thread | None = None

    def create(self, ending: str = "") -> BinaryIO:
        if "/" in ending or "\0" in ending:
            raise UsageError(f"a file of an output cannot end with {ending!r}")
        with self._moved:
            self._moved.wait_for(lambda: len(self._whole) < _WAITING or self._ended)
            self.check()
            number = f"_{self._made:05d}" if self._made else ""
            name = f"part-r-{self._spec.index:05d}{number}{ending}"
            folder = self._folder / str(self._made)
            self._made += 1
            self.place = join(self._spec.remote, name)
            folder.mkdir(parents=True)
            self._open[name] = part = _Part(folder / name, self._complete)
        return cast(BinaryIO, part)

    def finish(self) -> Published:
        """Wait until every part is stored.

        Raises
        ------
        UsageError
            A part was not closed.
        OSError, XLearningError
            A part could not be stored, or is gone again.
        """
        with self._moved:
            if self._open:
                raise UsageError(f"the output format has not closed {', '.join(sorted(self._open))}")
            self._over = True
            self._moved.notify_all()
            self._moved.wait_for(lambda: not self._whole or self._ended)
            self.check()
        self._clean()
        self._check_stored()
        places = (self._spec.remote,) if self.amount.files else ()
        return Published(self.amount.files, self.amount.size, places)

    def abandon(self) -> None:
        """Throw away what is not stored, and end everybody's waiting."""
        self._cancel.set()
        with self._moved:
            self._moved.notify_all()
            unfinished = list(self._open.values())
        for part in unfinished:
            with contextlib.suppress(OSError):  # what it still holds is not wanted
                part.close()
        self._clean()

    @property
    def abandoned(self) -> bool:
        """Whether `abandon` was called."""
        return self._cancel.is_set()

    @property
    def _ended(self) -> bool:
        return self._failure is not None or self._cancel.is_set()

    def check(self) -> None:
        """Raise what keeps parts from being stored, if something does; see `finish`."""
        if self._failure is not None:
            raise self._failure
        if self._cancel.is_set():
            raise Cancelled("cancelled")

    def _check_stored(self) -> None:
        """The first part has lain there since long ago, in a folder that others may take for theirs."""
        if not self._stored:
            return
        from xlearning.fs.retry import keep_trying

        fs, remote = self._fss.of(self._spec.remote), self._spec.remote
        found = keep_trying(lambda: fs.list(remote), retry_time=self._retry_time, cancel=self._cancel)
        lost = sorted(self._stored - {child.name for child in found})
        if lost:
            raise StorageError(f"somebody has deleted {', '.join(lost[:3])} of {len(self._stored)} parts")

    def _clean(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)  # a part that is still being written may be there

    def _complete(self, path: Path) -> None:
        with self._moved:
            self._open.pop(path.name, None)
            if self._ended:
                return
            self._whole.append(path)
            if self._thread is None:
                self._thread = threading.Thread(target=self._store_all, name="parts", daemon=True)
                self._thread.start()
            self._moved.notify_all()

    def _store_all(self) -> None:
        while True:
            with self._moved:
                self._moved.wait_for(lambda: self._whole or self._over or self._ended)
                if self._ended or not self._whole:
                    return
                path = self._whole[0]
            try:
                self._store(path)
            except Exception as error:  # noqa: BLE001 - whatever it is, nobody may wait for ever
                self._fail(error)
                return
            except BaseException as error:  # noqa: BLE001 - a panic in Rust is no Exception
                self._fail(StorageError(f"{path.name} cannot be stored: {error!r}"))
                return
            with self._moved:
                self._whole.popleft()
                self._stored.add(path.name)
                self._moved.notify_all()

    def _store(self, path: Path) -> None:
        from xlearning.fs.transfer import upload  # not loaded by programs without such output

        files, size = self.amount.files, self.amount.size
        upload(
            self._fss,
            path.parent,
            self._spec.remote,
            threads=1,
            retry_time=self._retry_time,
            on_progress=lambda more, bytes_: self.amount.update(files + more, size + bytes_),
            cancel=self._cancel,
        )
        shutil.rmtree(path.parent)

    def _fail(self, error: Exception) -> None:
        with self._moved:
            self._failure = error
            self._moved.notify_all()
        if not self._cancel.is_set():
            self._on_failure()


class _Part(io.BufferedWriter):
    """A file that says when it is whole."""

    def __init__(self, path: Path, complete: Callable[[Path], None]) -> None:
        super().__init__(io.FileIO(path, "x"), 1 << 16)
        self._path, self._whole = path, complete

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._whole(self._path)
