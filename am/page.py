"""What the job page is shown, from the threads that serve it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from xlearning.am.runtime import Runtime
from xlearning.cluster.base import ContainerManager, LogChunk
from xlearning.job import Snapshot

_PATIENCE = 5.0  # seconds a page request waits for the event loop


class RuntimeSource:
    """A running attempt as the page sees it; safe to use from any thread.

    Parameters
    ----------
    runtime : Runtime
    manager : ContainerManager
    loop : asyncio.AbstractEventLoop
        The loop that the runtime runs in.
    """

    def __init__(self, runtime: Runtime, manager: ContainerManager, loop: asyncio.AbstractEventLoop) -> None:
        self._runtime, self._manager, self._loop = runtime, manager, loop

    def snapshot(self) -> Snapshot:
        """The newest published snapshot."""
        return self._runtime.snapshot

    def log_files(self, container_id: str) -> Mapping[str, int]:
        """Readable log files of a container: name -> size in bytes."""
        return self._manager.log_files(container_id)

    def read_log(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:
        """A piece of a log file; `FileNotFoundError` for a name that is not there."""
        return self._manager.read_log(container_id, name, offset, limit)

    def request_kill(self, viewer: str) -> tuple[bool, str]:
        """Ask for the end of the job; (accepted, words for the viewer)."""
        return asyncio.run_coroutine_threadsafe(self._kill(viewer), self._loop).result(_PATIENCE)

    async def _kill(self, viewer: str) -> tuple[bool, str]:
        return self._runtime.request_kill(viewer, "from the job page")

    def request_save(self, viewer: str) -> tuple[bool, str, str]:
        """Ask for a save of the output as it is now; (accepted, words for the viewer, its id)."""
        return asyncio.run_coroutine_threadsafe(self._save(viewer), self._loop).result(_PATIENCE)

    async def _save(self, viewer: str) -> tuple[bool, str, str]:
        return self._runtime.request_save(viewer)
