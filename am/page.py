"""What the job page is shown, from the threads that serve it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from typing import Any, TypeVar

from xlearning.am.logs import NoAnswer
from xlearning.am.runtime import Runtime
from xlearning.cluster.base import ContainerManager, LogChunk
from xlearning.config.confidential import mask
from xlearning.job import SaveTrigger, Snapshot

T = TypeVar("T")
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
        """The newest published snapshot, without the passwords of addresses."""
        seen = self._runtime.snapshot
        inputs = tuple(replace(one, patterns=tuple(map(mask, one.patterns))) for one in seen.inputs)
        outputs = tuple(replace(one, remote=mask(one.remote)) for one in seen.outputs)
        return replace(seen, inputs=inputs, outputs=outputs, reason=mask(seen.reason))

    def log_files(self, container_id: str) -> Mapping[str, int]:
        """Readable log files of a container: name -> size in bytes."""
        return self._manager.log_files(container_id) or self._call(
            self._runtime.agent_logs.files(container_id)
        )

    def read_log(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:
        """A piece of a log file; `FileNotFoundError` for a name that is not there."""
        if self._manager.log_files(container_id):
            return self._manager.read_log(container_id, name, offset, limit)
        return self._call(self._runtime.agent_logs.read(container_id, name, offset, limit))

    def request_kill(self, viewer: str) -> tuple[bool, str]:
        """Ask for the end of the job; (accepted, words for the viewer)."""
        return self._call(self._kill(viewer))

    async def _kill(self, viewer: str) -> tuple[bool, str]:
        return self._runtime.request_kill(viewer, "from the job page")

    def request_save(self, viewer: str) -> tuple[bool, str, str]:
        """Ask for a save of the output as it is now; (accepted, words for the viewer, its id)."""
        return self._call(self._save(viewer))

    async def _save(self, viewer: str) -> tuple[bool, str, str]:
        return self._runtime.request_save(viewer, SaveTrigger.PAGE)

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of something that only the event loop may do; `NoAnswer` where it is too busy."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE)
        except FutureTimeout:
            raise NoAnswer(
                f"the ApplicationMaster has not answered within {_PATIENCE:g} s and may still do so"
            ) from None
