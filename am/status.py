"""What clients are told of the job: snapshots, by long polls, down to the last one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

_REMEMBERED = 10.0  # seconds for which a caller is known


class StatusSource:
    """What clients are told; the runtime fills it in."""

    def __init__(self) -> None:
        self.version = 0
        self.json = ""
        self.save: Callable[[str], tuple[bool, str, str]] = lambda user: (False, "not started yet", "")  # noqa: ARG005
        self.kill: Callable[[str, str], tuple[bool, str]] = lambda user, reason: (False, "not started yet")  # noqa: ARG005
        self._news = asyncio.Condition()
        self._waiting: set[str] = set()
        self._served: dict[str, float] = {}  # caller -> when it took a snapshot that was not the last
        self._last = False

    async def publish(self, version: int, json: str) -> None:
        """Show a newer snapshot to everybody who waits for one."""
        await self._show(version, json, last=False)

    async def publish_last(self, version: int, json: str, patience: float) -> None:
        """Show the last snapshot, and give those who wait ``patience`` seconds to take it along.

        Who took an earlier one within that time is waited for too: it is about to ask again.
        """
        now = asyncio.get_running_loop().time
        deadline = now() + patience
        takers = self._waiting | {caller for caller, at in self._served.items() if at > now() - patience}
        await self._show(version, json, last=True)
        while takers & (self._waiting | self._served.keys()) and now() < deadline:
            await asyncio.sleep(0.005)

    async def _show(self, version: int, json: str, *, last: bool) -> None:
        async with self._news:
            self.version, self.json, self._last = version, json, last or self._last
            self._news.notify_all()

    async def newer_than(self, version: int, wait: float, caller: str) -> str:
        """The snapshot, as soon as there is one newer than ``version``, at the latest after ``wait`` s."""
        self._waiting.add(caller)
        self._served.pop(caller, None)
        try:
            async with self._news:
                with contextlib.suppress(asyncio.TimeoutError):
                    news = self._news.wait_for(lambda: self._last or self.version > version)
                    await asyncio.wait_for(news, wait)
                if not self._last:
                    now = asyncio.get_running_loop().time()
                    recent = {who: at for who, at in self._served.items() if at > now - _REMEMBERED}
                    self._served = {**recent, caller: now}
                return self.json
        finally:
            self._waiting.discard(caller)
