"""Where the history of a job lies: ``<xlearning.history.log.dir>/<application id>/``.

``job.json`` is the last snapshot, ``spec.json`` what was submitted, without secrets.
No address has its password.
``events-<milliseconds>-<number>.jsonl`` are the transitions: the last of these segments is rewritten
every few seconds until it is full, always by a closed file that takes its place, because an HDFS file
that nobody closed reads as empty.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from xlearning.config.confidential import hide, hide_words, masked
from xlearning.fs import FileSystems
from xlearning.fs.base import FileSystem, join, parent
from xlearning.fs.owners import NotBelieved, belongs
from xlearning.history.records import DROPPED, HistoryRecord, to_line
from xlearning.job import JobSpec, Snapshot, to_dict

_log = logging.getLogger(__name__)

SNAPSHOT_FILE = "job.json"
SPEC_FILE = "spec.json"
INTERVAL = 3.0  # seconds between two writes
SEGMENT_BYTES = 256 * 1024
TOTAL_BYTES = 16 * 1024 * 1024
_QUEUE_LENGTH = 10_000  # records
_CLOSE_PATIENCE = 8.0  # seconds


class HistoryWriter:
    """Writes the history in a thread of its own; no trouble with it ever reaches the job.

    Parameters
    ----------
    fss : FileSystems
    folder : str
        URI of the job's history folder; made with mode 700, its parent with 1777.
    owner : str, optional
        Whose the folder must be where it is there already: nothing is written into one of somebody else.
    interval : float
        Seconds between two writes.
    total_bytes : int
        Longest history of transitions; what comes after it is counted, not kept.
    """

    def __init__(
        self,
        fss: FileSystems,
        folder: str,
        *,
        owner: str = "",
        interval: float = INTERVAL,
        total_bytes: int = TOTAL_BYTES,
    ) -> None:
        self._segments = _Segments(fss, folder, owner, total_bytes)
        self.trouble = ""  # why there is no history, in words for whoever asks about the job
        self._interval = interval
        self._queue: queue.Queue[HistoryRecord] = queue.Queue(_QUEUE_LENGTH)
        self._snapshot: Snapshot | None = None
        self._spec: JobSpec | None = None
        self._overflow = 0
        self._state = threading.Condition()
        self._asked = 0  # number of the last flush that somebody waits for
        self._done = 0  # number of the last one that is over
        self._closed = False
        self._complained = False
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)
        self._thread.start()

    def record(self, kind: str, data: Mapping[str, Any], time: float) -> None:
        """Keep one transition. Never blocks and never fails.

        Parameters
        ----------
        time : float
            Seconds since 1970.
        """
        try:
            self._queue.put_nowait(HistoryRecord(time, kind, dict(data)))
        except queue.Full:
            with self._state:
                self._overflow += 1

    def snapshot(self, snapshot: Snapshot) -> None:
        """Let ``job.json`` show this state at the next write. Never blocks and never fails."""
        with self._state:
            self._snapshot = snapshot

    def spec(self, job: JobSpec) -> None:
        """Let ``spec.json`` tell what was submitted, its secrets hidden. Never blocks and never fails."""
        with self._state:
            self._spec = public(job)

    def flush(self, timeout: float = _CLOSE_PATIENCE) -> bool:
        """Write now; whether that was over (well or not) within ``timeout`` seconds."""
        with self._state:
            self._asked += 1
            mine = self._asked
            self._state.notify_all()
            return self._state.wait_for(lambda: self._done >= mine, timeout)

    def close(self, timeout: float = _CLOSE_PATIENCE) -> None:
        """Write what is left and end the thread; a file system that hangs is left alone after ``timeout``."""
        with self._state:
            self._closed = True
            self._state.notify_all()
        self._thread.join(timeout)
        if self._thread.is_alive():
            self._complain(TimeoutError(f"not written within {timeout:g} s"))

    def _run(self) -> None:
        closed = False
        while not closed:
            with self._state:
                self._state.wait_for(lambda: self._closed or self._asked > self._done, self._interval)
                closed, asked = self._closed, self._asked
            self._write(closed)
            with self._state:
                self._done = asked
                self._state.notify_all()

    def _write(self, last: bool) -> None:
        with self._state:
            snapshot, spec, overflow = self._snapshot, self._spec, self._overflow
            self._snapshot, self._spec, self._overflow = None, None, 0
        # Side by side: HDFS takes half a second for a file, and the end of a job waits for all.
        beside = []
        if snapshot is not None:
            beside.append(threading.Thread(target=self._write_snapshot, args=(snapshot,), daemon=True))
        if spec is not None:
            beside.append(threading.Thread(target=self._write_spec, args=(spec,), daemon=True))
        for thread in beside:
            thread.start()
        self._attempt(lambda: self._write_segment(last, overflow))
        for thread in beside:
            thread.join()

    def _write_segment(self, last: bool, overflow: int) -> None:
        self._segments.drop(overflow)
        while not self._queue.empty():
            self._segments.add(self._queue.get_nowait())
        self._segments.write(last)

    def _write_snapshot(self, snapshot: Snapshot) -> None:
        if not self._attempt(lambda: self._segments.write_snapshot(snapshot)):
            with self._state:
                self._snapshot = self._snapshot or snapshot

    def _write_spec(self, spec: JobSpec) -> None:
        if not self._attempt(lambda: self._segments.write_spec(spec)):
            with self._state:
                self._spec = self._spec or spec

    def _attempt(self, work: Callable[[], None]) -> bool:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whatever happens here is not the job's business
            self._complain(error)
            return False
        return True

    def _complain(self, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            if isinstance(error, NotBelieved):
                self.trouble = f"the history cannot be written: {error.message}"
            _log.warning("the history in %s is incomplete: %s", self._segments.folder, error)


class _Segments:
    """The files of one writer: the segment being filled, and how much there is already."""

    def __init__(self, fss: FileSystems, folder: str, owner: str, total_bytes: int) -> None:
        self.folder, self._owner = folder, owner
        self._fss = fss
        self._room = total_bytes
        self._prefix = f"events-{int(time.time() * 1000):013d}"
        self._number = 0
        self._content = bytearray()
        self._written = 0  # bytes of `_content` that are in the file already
        self._dropped = 0
        self._made = False

    def add(self, record: HistoryRecord) -> None:
        """Take a record in, or count it where there is no room any more."""
        line = to_line(record)
        if len(line) > self._room:
            self._dropped += 1
            return
        self._room -= len(line)
        self._content += line

    def drop(self, count: int) -> None:
        """Count records that never got here."""
        self._dropped += count

    def write(self, last: bool) -> None:
        """Bring the file up to date; with ``last`` it also says how many records were dropped."""
        if last and self._dropped:
            self._content += to_line(HistoryRecord(time.time(), DROPPED, {"records": self._dropped}))
            self._dropped = 0
        if len(self._content) == self._written:
            return
        self._replace(f"{self._prefix}-{self._number:05d}.jsonl", bytes(self._content))
        self._written = len(self._content)
        if self._written >= SEGMENT_BYTES:
            self._number += 1
            self._content.clear()
            self._written = 0

    def write_snapshot(self, snapshot: Snapshot) -> None:
        """Replace ``job.json``."""
        self._replace(SNAPSHOT_FILE, json.dumps(masked(to_dict(snapshot))).encode())

    def write_spec(self, job: JobSpec) -> None:
        """Replace ``spec.json``."""
        self._replace(SPEC_FILE, json.dumps(masked(to_dict(job))).encode())

    def _replace(self, name: str, content: bytes) -> None:
        fs = self._file_system()
        temporary = join(self.folder, f".{name}.new")
        with fs.open_write(temporary, overwrite=True) as file:
            file.write(content)
        fs.chmod(temporary, 0o600)
        fs.replace(temporary, join(self.folder, name))

    def _file_system(self) -> FileSystem:
        fs = self._fss.of(self.folder)
        if not self._made:
            # like YARN's log folder: everybody may add, nobody may delete what belongs to others
            fs.mkdirs(parent(self.folder), mode=0o1777)
            self._make(fs)
            self._made = True
        return fs

    def _make(self, fs: FileSystem) -> None:
        """Make the folder. Ids can be foreseen, so somebody else may have been there first."""
        try:
            status = fs.stat(self.folder)
        except FileNotFoundError:
            fs.mkdirs(self.folder, mode=0o700)
            return
        if self._owner and not belongs(status, self._owner):
            raise NotBelieved(f"{self.folder} belongs to {status.owner}, not to {self._owner}")


def public(job: JobSpec) -> JobSpec:
    """The job without the values of its secrets."""
    return dataclasses.replace(
        job, command=hide_words(job.command), env=hide(job.env), properties=hide(job.properties)
    )
