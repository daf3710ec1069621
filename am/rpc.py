"""The ApplicationMaster's door to gRPC: agents' sessions and clients' questions, over mutual TLS."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import grpc
import grpc.aio

from xlearning.am.core import events as ev
from xlearning.am.logs import AgentLogs
from xlearning.am.status import StatusSource
from xlearning.proto import convert
from xlearning.proto import xlearning_pb2 as pb
from xlearning.proto import xlearning_pb2_grpc as pb_grpc

log = logging.getLogger(__name__)

_OPTIONS = (
    ("grpc.max_receive_message_length", 4 << 20),
    ("grpc.max_send_message_length", 16 << 20),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.so_reuseport", 0),
)
_CLOSE = None  # in an outbox: end this stream
_ID_LIMIT = 200  # characters of a container id

Outbox = asyncio.Queue["pb.AmMessage | None"]


@dataclass
class Stream:
    """One connection of an agent."""

    number: int
    container_id: str = ""
    accepted: bool = False
    outbox: Outbox = field(default_factory=asyncio.Queue)


class RpcServer:
    """Serves agents and clients.

    Parameters
    ----------
    post : callable
        Takes an event into the runtime's queue.
    known : coroutine function
        Whether the back end knows a container id; it is asked before an unknown agent is refused.

    Attributes
    ----------
    logs : AgentLogs
        Reads log files through the agents.
    """

    def __init__(
        self, post: Callable[[ev.Event], None], known: Callable[[str], Awaitable[None]], status: StatusSource
    ) -> None:
        self._post, self._known, self._status = post, known, status
        self._streams: dict[int, Stream] = {}
        self._current: dict[str, Stream] = {}
        self._count = 0
        self._server: grpc.aio.Server | None = None
        self.logs = AgentLogs(self.send)

    async def start(self, host: str, certificate: bytes, key: bytes) -> int:
        """Listen on a free port of ``host``; returns the port."""
        server = grpc.aio.server(options=_OPTIONS)
        pb_grpc.add_AgentsServicer_to_server(_Agents(self), server)  # type: ignore[no-untyped-call]
        pb_grpc.add_ApplicationServicer_to_server(_Application(self._status), server)  # type: ignore[no-untyped-call]
        credentials = grpc.ssl_server_credentials([(key, certificate)], certificate, require_client_auth=True)
        port = server.add_secure_port(f"{host}:0", credentials)
        await server.start()
        self._server = server
        return port

    async def stop(self, grace: float) -> None:
        for stream in list(self._streams.values()):
            stream.outbox.put_nowait(_CLOSE)
        if self._server is not None:
            await self._server.stop(grace)

    # ---- towards agents -------------------------------------------------------------------------

    def accept(self, container_id: str, number: int, message: pb.AmMessage) -> None:
        """Make a stream the one of its container; an older one is closed."""
        stream = self._streams.get(number)
        if stream is None:
            return
        old = self._current.get(container_id)
        if old is not None and old is not stream:
            old.accepted = False
            old.outbox.put_nowait(_CLOSE)
        stream.accepted = True
        self._current[container_id] = stream
        stream.outbox.put_nowait(message)

    def refuse(self, number: int, reason: str) -> None:
        stream = self._streams.get(number)
        if stream is not None:
            stream.outbox.put_nowait(pb.AmMessage(refused=pb.Refused(reason=reason)))
            stream.outbox.put_nowait(_CLOSE)

    def send(self, container_id: str, message: pb.AmMessage) -> bool:
        """Queue a message; False when the agent is not connected."""
        stream = self._current.get(container_id)
        if stream is None:
            return False
        stream.outbox.put_nowait(message)
        return True

    def cut(self, container_id: str) -> None:
        """End the session of a container that was given up."""
        stream = self._current.pop(container_id, None)
        if stream is not None:
            stream.accepted = False
            stream.outbox.put_nowait(pb.AmMessage(refused=pb.Refused(reason="this container was given up")))
            stream.outbox.put_nowait(_CLOSE)

    # ---- one session ----------------------------------------------------------------------------

    async def serve(self, messages: AsyncIterator[pb.AgentMessage]) -> AsyncIterator[pb.AmMessage]:
        self._count += 1
        stream = Stream(self._count)
        self._streams[stream.number] = stream
        reader = asyncio.create_task(self._read(stream, messages))
        try:
            while (message := await stream.outbox.get()) is not _CLOSE:
                yield message
        finally:
            reader.cancel()
            self._streams.pop(stream.number, None)
            if self._current.get(stream.container_id) is stream:
                del self._current[stream.container_id]
            if stream.container_id:
                self._post(ev.StreamEnded(stream.container_id, stream.number))

    async def _read(self, stream: Stream, messages: AsyncIterator[pb.AgentMessage]) -> None:
        try:
            async for message in messages:
                if not stream.container_id:
                    await self._register(stream, message)
                elif stream.accepted and message.HasField("log_piece"):
                    self.logs.answered(stream.container_id, message.log_piece)
                elif stream.accepted:
                    name, fields = convert.to_event_fields(message)
                    kind: type[ev.AgentEvent] = getattr(ev, name)
                    self._post(kind(stream.container_id, message.generation, **fields))
        except (grpc.RpcError, asyncio.CancelledError):
            log.debug("stream %d of %s broke", stream.number, stream.container_id)
        except ValueError as error:
            log.warning("stream %d of %s: %s", stream.number, stream.container_id, error)
        finally:
            stream.outbox.put_nowait(_CLOSE)

    async def _register(self, stream: Stream, message: pb.AgentMessage) -> None:
        if message.WhichOneof("body") != "register":
            raise ValueError("the first message is not a registration")
        hello = message.register
        if not hello.container_id or len(hello.container_id) > _ID_LIMIT:
            raise ValueError("a registration without a sensible container id")
        await self._known(hello.container_id)
        stream.container_id = hello.container_id
        if hello.session:
            self._post(ev.AgentReconnected(hello.container_id, stream.number, hello.session))
        else:
            self._post(
                ev.AgentRegistered(
                    hello.container_id, stream.number, secrets.token_hex(16), hello.attempt, hello.host
                )
            )


class _Agents(pb_grpc.AgentsServicer):
    def __init__(self, server: RpcServer) -> None:
        self._server = server

    async def Session(
        self,
        request_iterator: AsyncIterator[pb.AgentMessage],
        context: object,  # noqa: ARG002
    ) -> AsyncIterator[pb.AmMessage]:
        async for message in self._server.serve(request_iterator):
            yield message


class _Application(pb_grpc.ApplicationServicer):
    def __init__(self, status: StatusSource) -> None:
        self._status = status

    async def Status(
        self, request: pb.StatusRequest, context: grpc.aio.ServicerContext[pb.StatusRequest, pb.StatusReply]
    ) -> pb.StatusReply:
        wait = min(max(request.wait, 0.0), 60.0)
        found = await self._status.newer_than(request.after_version, wait, context.peer())
        return pb.StatusReply(snapshot_json=found)

    async def Kill(self, request: pb.KillRequest, context: object) -> pb.KillReply:  # noqa: ARG002
        accepted, message = self._status.kill(request.user[:200], request.reason[:2000])
        return pb.KillReply(accepted=accepted, message=message)

    async def Save(self, request: pb.SaveRequest, context: object) -> pb.SaveReply:  # noqa: ARG002
        accepted, message, save_id = self._status.save(request.user[:200])
        return pb.SaveReply(accepted=accepted, message=message, save_id=save_id)
