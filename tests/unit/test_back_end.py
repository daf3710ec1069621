"""What the back end tells once arrives, whoever has asked and has left meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from submitting import wait_for

from xlearning.am import pools
from xlearning.am.backend import BackEnd
from xlearning.am.core import events as ev
from xlearning.cluster.base import CompletedContainer, GrantedContainer, PollResult
from xlearning.errors import XLearningError


class Manager:
    """Tells everything once, and takes its time."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()
        self._news = [
            PollResult((GrantedContainer("c1", "worker", "h"),), ()),
            PollResult((), (CompletedContainer("c1", 0, ""),)),
        ]

    def poll(self) -> PollResult:
        found = self._news.pop(0) if self._news else PollResult((), ())
        self.asked.set()
        self.go.wait(60)
        return found


Leave = Callable[[BackEnd, Manager], object]


async def agent_has_gone(back_end: BackEnd, manager: Manager) -> None:
    """The stream of an agent breaks while the back end is asked about it."""
    asking = asyncio.create_task(back_end.look_for("c1"))
    await asyncio.to_thread(manager.asked.wait, 60)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def too_slow(back_end: BackEnd, manager: Manager) -> None:
    with pytest.raises(XLearningError, match="did not answer"):
        await back_end.poll()
    assert manager.asked.is_set()


@pytest.mark.parametrize(("leave", "patience"), [(agent_has_gone, 60.0), (too_slow, 0.01)])
def test_an_answer_that_comes_late_is_told_and_in_its_order(leave: Leave, patience: float) -> None:
    async def run() -> list[ev.Event]:
        seen: list[ev.Event] = []
        manager, pool = Manager(), pools.Pool("cluster", 2, patience)
        back_end = BackEnd(manager, pool, {}, seen.append, lambda work: work.close())  # type: ignore[arg-type]
        await leave(back_end, manager)  # type: ignore[misc]
        second = asyncio.create_task(back_end.poll())
        await asyncio.sleep(0)
        manager.go.set()
        await asyncio.gather(second, return_exceptions=True)
        await asyncio.to_thread(wait_for, lambda: len(seen) == 2)
        pool.close()
        return seen

    granted, completed = asyncio.run(run())
    assert isinstance(granted, ev.ContainerGranted) and granted.container_id == "c1"
    assert isinstance(completed, ev.ContainerCompleted) and completed.container_id == "c1"
