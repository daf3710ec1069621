"""The agent's end of the stream to the ApplicationMaster; the only door to gRPC in this package.

A stream may break at any time. The session finds the ApplicationMaster again and registers with
its token; whoever uses it says in `Talker.facts` what the new stream must know. So a message that
was lost with a stream is never missed: what matters is a fact and is said again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import grpc

from xlearning.cluster.credentials import NAME, load
from xlearning.container import blocking
from xlearning.proto import xlearning_pb2 as pb
from xlearning.proto.xlearning_pb2_grpc import AgentsStub

log = logging.getLogger(__name__)

SEND_LIMIT = 4 << 20
RECEIVE_LIMIT = 16 << 20
# Seconds for connecting, TLS and the answer to Register. Longer than an ApplicationMaster may be
# stalled: were the answer to a first registration given up, the next one would come without token.
_FIRST_ANSWER = 40.0
_LOOK, _SHORT_LOOK = 10.0, 0.3  # seconds for a look into staging: the first one, and a later one
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0  # seconds between two tries
_FAREWELL = 2.0
_LONGEST_SILENCE = 20_000  # ms; an ApplicationMaster that is stalled for 30 s keeps its streams

_OPTIONS = (
    ("grpc.max_send_message_length", SEND_LIMIT),
    ("grpc.max_receive_message_length", RECEIVE_LIMIT),
    ("grpc.keepalive_time_ms", _LONGEST_SILENCE),
    ("grpc.keepalive_timeout_ms", _LONGEST_SILENCE),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.ssl_target_name_override", NAME),
)


class SessionLost(Exception):
    """No ApplicationMaster answered for too long."""


class SessionRefused(Exception):
    """The ApplicationMaster does not want this container (any more)."""


class Talker(Protocol):
    """Whoever holds the conversation."""

    def facts(self) -> Sequence[pb.AgentMessage]:
        """What a new stream must know, in the order in which it happened."""

    def hear(self, message: pb.AmMessage) -> None:
        """An order of the ApplicationMaster. Must not block."""


class Session:
    """One container's conversation, over as many streams as it takes.

    Parameters
    ----------
    register : Register
        First message of each stream; the token is added once it is known.
    credentials : Path
        Folder with ``tls.crt`` and ``tls.key``.
    locate : callable
        Blocking; ``host:port`` or None, see `xlearning.container.rendezvous.Rendezvous.locate`.
    first_pause : float
        Seconds before the second look for an ApplicationMaster that has never been seen.
    patience : float
        Seconds to look for it at all; replaced by what it says once registered.
    """

    def __init__(
        self,
        register: pb.Register,
        credentials: Path,
        locate: Callable[[], str | None],
        *,
        first_pause: float,
        patience: float,
    ) -> None:
        self._register = register
        self._locate = locate
        self._first_pause = first_pause
        self._patience = patience
        certificate, key = load(credentials)
        self._tls = grpc.ssl_channel_credentials(certificate, key, certificate)
        self._outgoing: deque[pb.AgentMessage] = deque()
        self._newest: dict[str, pb.AgentMessage] = {}
        self._wake = asyncio.Event()
        self._lookup: asyncio.Future[str | None] | None = None
        self._address: str | None = None
        self._connected = False
        self._closing = False
        self.beat_interval = 1.0

    async def run(self, talker: Talker) -> None:
        """Converse until `close`.

        Raises
        ------
        SessionRefused
            The ApplicationMaster refused the registration.
        SessionLost
            It was out of reach for longer than the reconnect time-out.
        xlearning.container.rendezvous.Fenced, xlearning.container.rendezvous.Over
            A newer attempt has begun, or the application has ended.
        """
        lost_since, pause = time.monotonic(), self._first_pause
        while not self._closing:
            address = await self._look()
            begun = time.monotonic()
            if address is not None and await self._converse(address, talker):
                lost_since, pause = time.monotonic(), _SHORTEST_PAUSE
                if self._closing or lost_since - begun > _LONGEST_PAUSE:
                    continue
            gone = time.monotonic() - lost_since
            if gone > self._patience:
                raise SessionLost(f"no ApplicationMaster answered for {gone:.0f} s")
            await asyncio.sleep(min(pause, max(0.0, self._patience - gone) + 0.01))
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def tell(self, message: pb.AgentMessage) -> None:
        """Send on the present stream; without one it is dropped, as facts are said again anyway."""
        if self._connected:
            # A state told before stays before: progress never follows "done".
            self._outgoing.extend(self._newest.values())
            self._newest.clear()
            self._outgoing.append(message)
            self._wake.set()

    def tell_newest(self, message: pb.AgentMessage) -> None:
        """Send a state of which only the newest matters; an older unsent one is replaced."""
        if self._connected:
            self._newest[message.WhichOneof("body") or ""] = message
            self._wake.set()

    def close(self) -> None:
        """Say what is still to be said, end the stream and let `run` return."""
        self._closing = True
        self._wake.set()

    async def _look(self) -> str | None:
        """Where the ApplicationMaster is now, or where it was if storage is slow to tell.

        A stream has to be back within about a second, whatever storage does; a look that hangs is
        waited for the next time rather than begun again.
        """
        if self._lookup is None:
            self._lookup = asyncio.ensure_future(blocking.call(self._locate, name="locate"))
        await asyncio.wait(
            {self._lookup}, timeout=min(_SHORT_LOOK if self._address else _LOOK, self._patience)
        )
        if self._lookup.done():
            done, self._lookup = self._lookup, None
            self._address = done.result()
        else:
            log.warning("the staging folder did not answer in time")
        return self._address

    async def _converse(self, address: str, talker: Talker) -> bool:
        """One stream; whether it got as far as being registered."""
        async with grpc.aio.secure_channel(address, self._tls, options=_OPTIONS) as channel:
            call = AgentsStub(channel).Session()  # type: ignore[no-untyped-call]
            try:
                await asyncio.wait_for(self._enter(call), min(_FIRST_ANSWER, self._patience + 0.1))
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError, asyncio.TimeoutError, EOFError) as error:
                log.info("cannot register at %s: %s", address, _words(error))
                call.cancel()
                return False
            log.info("registered at %s", address)
            self._begin(talker.facts())
            await self._exchange(call, talker)
            return True

    async def _exchange(self, call: Any, talker: Talker) -> None:
        reader = asyncio.create_task(self._read(call, talker))
        writer = asyncio.create_task(self._write(call))
        try:
            await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
            # The writer ends first when all is said; the other side then closes the stream.
            await asyncio.wait({reader}, timeout=_FAREWELL)
            if reader.done():
                reader.result()
            if writer.done():
                writer.result()
        finally:
            self._connected = False
            call.cancel()
            reader.cancel()
            writer.cancel()
            await asyncio.wait({reader, writer})

    async def _enter(self, call: Any) -> None:
        await call.write(pb.AgentMessage(register=self._register))
        answer = await call.read()
        if answer is grpc.aio.EOF:
            raise EOFError("the stream was closed before an answer")
        if answer.HasField("refused"):
            raise SessionRefused(answer.refused.reason)
        if not answer.HasField("registered"):
            raise EOFError(f"unexpected answer {answer.WhichOneof('body')}")
        self._register.session = answer.registered.session
        self.beat_interval = answer.registered.beat_interval or self.beat_interval
        self._patience = answer.registered.reconnect_timeout or self._patience

    def _begin(self, facts: Sequence[pb.AgentMessage]) -> None:
        self._outgoing = deque(facts)
        self._newest.clear()
        self._connected = True
        self._wake.set()

    async def _read(self, call: Any, talker: Talker) -> None:
        """Hand over orders until the stream ends, for whatever reason."""
        try:
            while (message := await call.read()) is not grpc.aio.EOF:
                if message.HasField("refused"):
                    raise SessionRefused(message.refused.reason)
                talker.hear(message)
            log.info("the ApplicationMaster closed the stream")
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            log.warning("the stream broke: %s", _words(error))

    async def _write(self, call: Any) -> None:
        try:
            while True:
                while self._outgoing or self._newest:
                    message = (
                        self._outgoing.popleft()
                        if self._outgoing
                        else self._newest.pop(next(iter(self._newest)))
                    )
                    await call.write(message)
                if self._closing:
                    await call.done_writing()
                    return
                self._wake.clear()
                await self._wake.wait()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            # The reader sees the same end and decides what follows.
            log.debug("cannot write: %s", _words(error))


def _words(error: BaseException) -> str:
    if isinstance(error, grpc.aio.AioRpcError):
        return f"{error.code().name}: {error.details()}"
    return str(error) or type(error).__name__
