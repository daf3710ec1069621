"""Asks agents for pieces of their log files, where the back end has none to show."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

from xlearning.cluster.base import LogChunk
from xlearning.errors import XLearningError
from xlearning.proto import xlearning_pb2 as pb

_PATIENCE = 3.0  # seconds an agent has to answer
_PENDING = 32  # questions at a time; each answer may be some 100 KiB


class NoAnswer(XLearningError):
    """The agent is not there, or busy with something else."""


class AgentLogs:
    """Questions about logs that are under way. For the event loop only.

    Parameters
    ----------
    send : callable
        Gives a message to the agent of a container; False when it is not connected.
    """

    def __init__(self, send: Callable[[str, pb.AmMessage], bool]) -> None:
        self._send = send
        self._numbers = itertools.count(1)
        self._waiting: dict[tuple[str, int], asyncio.Future[pb.LogPiece]] = {}

    async def files(self, container_id: str) -> dict[str, int]:
        """Names and sizes (bytes) of a container's log files; none when its agent has gone."""
        try:
            return dict((await self._ask(container_id, pb.ReadLog())).files)
        except NoAnswer:
            return {}

    async def read(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:
        """A piece of a log file; it may be shorter than asked for.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        NoAnswer
            The agent does not answer.
        """
        piece = await self._ask(container_id, pb.ReadLog(name=name, offset=offset, limit=limit))
        if piece.error:
            raise FileNotFoundError(piece.error)
        return LogChunk(piece.text, piece.offset, piece.next_offset, piece.size)

    def answered(self, container_id: str, piece: pb.LogPiece) -> None:
        """An agent has answered; what nobody waits for any more is dropped."""
        waiting = self._waiting.get((container_id, piece.request))
        if waiting is not None and not waiting.done():
            waiting.set_result(piece)

    async def _ask(self, container_id: str, order: pb.ReadLog) -> pb.LogPiece:
        if len(self._waiting) >= _PENDING:
            raise NoAnswer("too many logs are being read at once: try again")
        order.request = next(self._numbers)
        key = (container_id, order.request)
        answer = self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            if not self._send(container_id, pb.AmMessage(read_log=order)):
                raise NoAnswer(f"the agent of {container_id} is not connected")
            return await asyncio.wait_for(answer, _PATIENCE)
        except asyncio.TimeoutError:
            raise NoAnswer(f"the agent of {container_id} does not answer") from None
        finally:
            del self._waiting[key]
