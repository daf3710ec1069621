"""Questions of the ApplicationMaster about logs: answers find their askers, and nobody waits for ever."""

from __future__ import annotations

import asyncio

import pytest

from xlearning.am import logs
from xlearning.am.logs import AgentLogs, NoAnswer
from xlearning.cluster.base import LogChunk
from xlearning.proto import xlearning_pb2 as pb


class Agents:
    """Takes questions; ``connected`` ones may be answered."""

    def __init__(self, *connected: str) -> None:
        self.connected = connected
        self.asked: list[tuple[str, pb.ReadLog]] = []
        self.logs = AgentLogs(self.send)

    def send(self, container_id: str, message: pb.AmMessage) -> bool:
        self.asked.append((container_id, message.read_log))
        return container_id in self.connected


def test_answers_find_their_askers() -> None:
    async def run() -> None:
        agents = Agents("c1", "c2")
        one = asyncio.create_task(agents.logs.read("c1", "stdout", 5, 10))
        two = asyncio.create_task(agents.logs.files("c2"))
        await asyncio.sleep(0)
        (_, first), (_, second) = agents.asked
        assert (first.name, first.offset, first.limit) == ("stdout", 5, 10)
        agents.logs.answered("c1", pb.LogPiece(request=second.request, text="of another container"))
        agents.logs.answered("c2", pb.LogPiece(request=second.request, files={"stderr": 3}))
        agents.logs.answered("c2", pb.LogPiece(request=second.request, files={"twice": 3}))
        agents.logs.answered("c1", pb.LogPiece(request=first.request, text="abc", next_offset=8, size=9))
        assert await one == LogChunk("abc", 0, 8, 9)
        assert await two == {"stderr": 3}
        agents.logs.answered("c1", pb.LogPiece(request=first.request))  # nobody waits any more

    asyncio.run(run())


def test_an_agent_that_is_not_there_or_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_PATIENCE", 0.01)

    async def run() -> None:
        agents = Agents("silent")
        assert await agents.logs.files("gone") == {}
        with pytest.raises(NoAnswer, match="agent of gone is not connected"):
            await agents.logs.read("gone", "stdout", 0, 1)
        with pytest.raises(NoAnswer, match="agent of silent does not answer"):
            await agents.logs.read("silent", "stdout", 0, 1)

    asyncio.run(run())


def test_a_file_that_is_not_there_and_too_many_questions() -> None:
    async def run() -> None:
        agents = Agents("c1")
        asking = asyncio.create_task(agents.logs.read("c1", "x", 0, 1))
        await asyncio.sleep(0)
        agents.logs.answered("c1", pb.LogPiece(request=1, error="no log file 'x'"))
        with pytest.raises(FileNotFoundError, match="no log file 'x'"):
            await asking
        many = [asyncio.create_task(agents.logs.files("c1")) for _ in range(logs._PENDING)]
        await asyncio.sleep(0)
        with pytest.raises(NoAnswer, match="too many logs"):
            await agents.logs.read("c1", "x", 0, 1)
        for task in many:
            task.cancel()
        await asyncio.gather(*many, return_exceptions=True)
        assert not agents.logs._waiting

    asyncio.run(run())
