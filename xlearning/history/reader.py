"""Reads the history of a job, which `xlearning.history.store` wrote and describes."""

from __future__ import annotations

from typing import TypeVar

from xlearning import jsonfile
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.history.records import HistoryRecord, from_lines
from xlearning.history.store import SNAPSHOT_FILE, SPEC_FILE
from xlearning.job import JobSpec, Snapshot

T = TypeVar("T")
_SEGMENT_LIMIT = 256 * 2**20  # bytes; a segment may outgrow its size by one record


class HistoryReader:
    """Reads what `HistoryWriter` wrote, also while it still writes.

    Parameters
    ----------
    fss : FileSystems
    """

    def __init__(self, fss: FileSystems) -> None:
        self._fss = fss

    def read(self, folder: str) -> tuple[Snapshot | None, list[HistoryRecord]]:
        """The last snapshot (None before the first one) and every record, oldest first.

        Raises
        ------
        FileNotFoundError
            The folder is not there.
        XLearningError
            The snapshot is damaged, or the file system does not answer.
        """
        fs = self._fss.of(folder)
        names = sorted(status.name for status in fs.list(folder) if not status.is_dir)
        records = [
            record
            for name in names
            if name.startswith("events-") and name.endswith(".jsonl")
            for record in from_lines(jsonfile.content(fs, join(folder, name), _SEGMENT_LIMIT))
        ]
        return (self.snapshot(folder) if SNAPSHOT_FILE in names else None), records

    def snapshot(self, folder: str) -> Snapshot:
        """The last snapshot.

        Raises
        ------
        FileNotFoundError
            There is none.
        XLearningError
            It is damaged, or the file system does not answer.
        """
        return self._record(Snapshot, join(folder, SNAPSHOT_FILE), "a snapshot of a job")

    def spec(self, folder: str) -> JobSpec:
        """What was submitted, its secrets hidden.

        Raises
        ------
        FileNotFoundError
            It was not recorded.
        XLearningError
            It is damaged, or the file system does not answer.
        """
        return self._record(JobSpec, join(folder, SPEC_FILE), "a description of a job")

    def _record(self, kind: type[T], path: str, what: str) -> T:
        try:
            return jsonfile.read_record(self._fss.of(path), path, kind)
        except ValueError as error:
            raise XLearningError(f"{path} is not {what}: {error}") from error
