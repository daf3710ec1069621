"""The back end at run time: its polls become events, the machine's wishes become calls."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from xlearning.am.core import events as ev
from xlearning.am.core.state import Container
from xlearning.am.pools import Pool
from xlearning.cluster.base import ContainerManager, PollResult
from xlearning.errors import XLearningError
from xlearning.job import RoleSpec

log = logging.getLogger(__name__)

_PATIENCE = 60.0  # seconds for which polls may fail before the job does
_LOOK = 0.1  # seconds between two looks at whether a container has left by itself

Spawn = Callable[[Coroutine[Any, Any, None]], None]


class BackEnd:
    """Speaks to a `ContainerManager` from the event loop.

    Parameters
    ----------
    manager : ContainerManager
    pool : Pool
        Where its blocking calls run.
    containers : mapping
        The machine's containers by id, for looking only.
    post : callable
        Takes an event.
    spawn : callable
        Runs a coroutine beside the loop.
    """

    def __init__(
        self,
        manager: ContainerManager,
        pool: Pool,
        containers: Mapping[str, Container],
        post: Callable[[ev.Event], None],
        spawn: Spawn,
    ) -> None:
        self._manager, self._pool, self._containers = manager, pool, containers
        self._post, self._spawn = post, spawn
        self._lock = asyncio.Lock()
        self._asking = threading.Lock()

    async def poll_forever(self) -> None:
        """Poll until cancelled; failures are borne for a while."""
        loop = asyncio.get_running_loop()
        failing_since: float | None = None
        while True:
            try:
                await self.poll()
                failing_since = None
            except (XLearningError, OSError) as error:
                log.warning("polling the back end failed: %s", error)
                failing_since = failing_since or loop.time()
                if loop.time() - failing_since > _PATIENCE:
                    self._post(ev.BackendFailed("learn about containers", str(error)))
            await asyncio.sleep(self._manager.poll_interval)

    async def poll(self) -> None:
        """One poll; what is new becomes events, also where nobody waits for the answer any more."""
        loop = asyncio.get_running_loop()
        async with self._lock:
            await self._pool.run(self._ask, loop)

    def _ask(self, loop: asyncio.AbstractEventLoop) -> None:
        """The back end tells everything once. Blocks."""
        with self._asking:  # what was asked first is told first, even if its caller has left
            loop.call_soon_threadsafe(self._tell, self._manager.poll())

    def _tell(self, result: PollResult) -> None:
        for granted in result.granted:
            self._post(ev.ContainerGranted(granted.id, granted.role, granted.host, granted.log_url))
        for done in result.completed:
            if done.lost:
                self._post(ev.ContainerLost(done.id, done.diagnostics))
            else:
                self._post(ev.ContainerCompleted(done.id, done.exit_code, done.diagnostics))
        if result.stop:
            self._post(ev.AmStopped(result.stop))

    async def look_for(self, container_id: str) -> None:
        """Before an agent is judged: poll at once if its container is not known yet."""
        if container_id not in self._containers:
            try:
                await self.poll()
            except (XLearningError, OSError) as error:
                log.warning("cannot ask the back end about %s: %s", container_id, error)

    def request(self, role: RoleSpec, count: int) -> None:
        self._spawn(self._call("get containers", self._manager.request, role, count))

    def kill(self, container_id: str) -> None:
        self._spawn(self._call("end a container", self._manager.kill, container_id))

    def release(self, container_id: str, patience: float) -> None:
        """Give a container back unless it leaves by itself within ``patience`` seconds."""
        self._spawn(self._release(container_id, patience))

    async def _release(self, container_id: str, patience: float) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        while loop.time() < deadline:
            container = self._containers.get(container_id)
            if container is None or container.gone:
                return
            await asyncio.sleep(_LOOK)
        await self._call("take a container back", self._manager.release, container_id)

    async def _call(self, what: str, call: Callable[..., None], *args: Any) -> None:
        try:
            await self._pool.run(call, *args)
        except (XLearningError, OSError) as error:
            log.exception("the back end failed to %s", what)
            self._post(ev.BackendFailed(what, str(error)))
