"""Reads the history of a job, which `xlearning.history.store` wrote and describes."""

from __future__ import annotations

import dataclasses
import re
from typing import TypeVar

from xlearning import jsonfile
from xlearning.config.confidential import hide_words
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.fs.owners import NotBelieved, belongs, check_owner
from xlearning.history.records import HistoryRecord, from_lines
from xlearning.history.store import SNAPSHOT_FILE, SPEC_FILE, public
from xlearning.job import JobSpec, Snapshot
from xlearning.links import harmless

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

    def believed(self, folder: str, app_id: str, user: str = "") -> Snapshot:
        """The last snapshot, if it is one of this application that its user has left.

        Parameters
        ----------
        user : str, optional
            Whose the application is; where nobody knows, the owner of the folder counts as its user.

        Raises
        ------
        NotBelieved
            The folder belongs to somebody else, or the record is about something else.
        FileNotFoundError
            There is none.
        XLearningError
            It is damaged, or the file system does not answer.
        """
        status = self._fss.of(folder).stat(folder)
        check_owner(self._fss, folder, user or status.owner, "the history")
        found = self.snapshot(folder)
        _check_id(found.app_id, app_id, folder)
        number = app_id.removeprefix("application_")
        own = re.compile(rf"container_(?:e\d+_)?{re.escape(number)}_\d+_\d+")
        foreign = [one.id for one in found.containers if not own.fullmatch(one.id)]
        if foreign:
            raise NotBelieved(
                f"the history in {folder} is not believed: {foreign[0]} is no container of {app_id}"
            )
        whose = found.user if belongs(status, found.user) else status.owner
        # an older version may have recorded what is nobody's business
        return harmless(dataclasses.replace(found, user=whose, command=hide_words(found.command)))

    def believed_spec(self, folder: str, app_id: str, user: str) -> JobSpec:
        """What was submitted, its secrets hidden; as `believed`."""
        check_owner(self._fss, folder, user, "the history")
        found = self.spec(folder)
        _check_id(found.app_id, app_id, folder)
        return public(found)

    def _record(self, kind: type[T], path: str, what: str) -> T:
        try:
            return jsonfile.read_record(self._fss.of(path), path, kind)
        except ValueError as error:
            raise XLearningError(f"{path} is not {what}: {error}") from error


def _check_id(recorded: str, app_id: str, folder: str) -> None:
    if recorded != app_id:
        raise NotBelieved(f"the history in {folder} is not believed: it is about {recorded or 'nothing'}")
