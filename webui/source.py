"""Where the page gets its data from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from xlearning.cluster.base import LogChunk
from xlearning.job import Snapshot


class JobSource(Protocol):
    """One job as the page sees it.

    Every method is called from the page's own threads, several at a time: the provider makes them
    thread safe. All of them should answer within a second, as a proxy gives up after 30 s.
    """

    def snapshot(self) -> Snapshot:
        """How the job stands now. Equal versions mean equal content."""

    def log_files(self, container_id: str) -> Mapping[str, int]:
        """Readable log files of a container: name -> size in bytes; empty where logs are elsewhere."""

    def read_log(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:
        """At most ``limit`` bytes of a log file from byte ``offset``; `FileNotFoundError` if unknown."""

    def request_kill(self, viewer: str) -> tuple[bool, str]:
        """Ask for the end of the job on behalf of ``viewer``: (accepted, words for the viewer).

        Answers at once; the end itself shows in later snapshots.
        """

    def request_save(self, viewer: str) -> tuple[bool, str, str]:
        """Ask for a save of the output as it is now: (accepted, words for the viewer, the save's id).

        Answers at once; how the save fares shows in later snapshots.
        """
