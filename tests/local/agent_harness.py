"""An ApplicationMaster's end of the agents' stream, and an agent process, for `test_agent`."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import psutil

from xlearning.cluster import credentials
from xlearning.job import JobSpec, LaunchSpec, RoleSpec, to_dict
from xlearning.proto import xlearning_pb2 as pb
from xlearning.proto import xlearning_pb2_grpc as pb_grpc

DEADLINE = 60.0  # seconds; for a machine that is very busy
TOKEN = "token of this session"


class Stream:
    """One connection of the agent."""

    def __init__(self, register: pb.Register) -> None:
        self.register = register
        self.orders: asyncio.Queue[pb.AmMessage | None] = asyncio.Queue()


class Master(pb_grpc.AgentsServicer):
    """Accepts agents (unless `refusal` is set) and remembers what they say."""

    def __init__(self, staging: Path, patience: float) -> None:
        self.staging = staging
        self.patience = patience
        self.refusal = ""
        self.streams: list[Stream] = []
        self.messages: list[pb.AgentMessage] = []
        self._news = asyncio.Event()
        self._server: grpc.aio.Server | None = None

    async def start(self) -> None:
        certificate, key = credentials.load(self.staging / "credentials")
        self._server = grpc.aio.server()
        pb_grpc.add_AgentsServicer_to_server(self, self._server)  # type: ignore[no-untyped-call]
        tls = grpc.ssl_server_credentials([(key, certificate)], certificate, require_client_auth=True)
        port = self._server.add_secure_port("127.0.0.1:0", tls)
        await self._server.start()
        content = {"address": f"127.0.0.1:{port}", "attempt": 1, "started": time.time(), "page": ""}
        part = self.staging / "am.part"
        part.write_text(json.dumps(content))
        part.rename(self.staging / "am-1.json")

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop(None)

    async def Session(
        self, request_iterator: AsyncIterator[pb.AgentMessage], context: grpc.aio.ServicerContext[Any, Any]
    ) -> None:
        first = await anext(request_iterator)
        stream = Stream(first.register)
        self.streams.append(stream)
        self._news.set()
        if self.refusal:
            await context.write(pb.AmMessage(refused=pb.Refused(reason=self.refusal)))
            return
        registered = pb.Registered(session=TOKEN, beat_interval=0.05, reconnect_timeout=self.patience)
        await context.write(pb.AmMessage(registered=registered))
        reader = asyncio.create_task(self._read(stream, request_iterator))
        try:
            while (order := await stream.orders.get()) is not None:
                await context.write(order)
        finally:
            reader.cancel()

    async def _read(self, stream: Stream, messages: AsyncIterator[pb.AgentMessage]) -> None:
        try:
            async for message in messages:
                self.messages.append(message)
                self._news.set()
        finally:
            stream.orders.put_nowait(None)

    def order(self, generation: int = 1, **body: Any) -> None:
        self.streams[-1].orders.put_nowait(pb.AmMessage(generation=generation, **body))

    def drop(self) -> None:
        """End the present stream without a word."""
        self.streams[-1].orders.put_nowait(None)

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + DEADLINE
        while not condition():
            said = [message.WhichOneof("body") for message in self.messages if not message.HasField("beat")]
            assert time.monotonic() < deadline, f"no {what}; the agent said {said}"
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), 0.1)
            except asyncio.TimeoutError:
                continue

    def all(self, kind: str) -> list[Any]:
        """Every message of a kind so far."""
        return [getattr(message, kind) for message in self.messages if message.WhichOneof("body") == kind]

    async def heard(self, kind: str, count: int = 1) -> Any:
        """The ``count``-th message of a kind."""
        await self.until(lambda: len(self.all(kind)) >= count, kind)
        return self.all(kind)[count - 1]

    async def connected(self, count: int = 1) -> Stream:
        await self.until(lambda: len(self.streams) >= count, f"stream {count}")
        return self.streams[count - 1]


class Container:
    """A container's folders and its agent process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.app_id = f"application_{time.time_ns()}_0001"
        self.staging = root / "staging"
        self.work, self.logs = root / "work", root / "logs"
        self.master = Master(self.staging, DEADLINE)
        self.process: asyncio.subprocess.Process | None = None
        for folder in (self.staging, self.work, self.logs):
            folder.mkdir()
        credentials.create(self.staging / "credentials")
        job = JobSpec(
            app_id=self.app_id,
            app_name="test",
            app_type="GENERIC",
            user="alice",
            command=("true",),
            roles=(RoleSpec("worker", 1, 64, 1),),
            staging=f"file://{self.staging}",
            default_fs="file://",
        )
        (self.staging / "job.json").write_text(json.dumps(to_dict(job)))

    async def start(self, **environ: str) -> None:
        """Start the agent; it need not find a master yet."""
        inherited = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.root),
        }
        ours = {
            "XLEARNING_APP_ID": self.app_id,
            "XLEARNING_ATTEMPT": "1",
            "XLEARNING_STAGING": f"file://{self.staging}",
            "CONTAINER_ID": "container_1_0001_01_000002",
            "XLEARNING_ROLE": "worker",
            "XLEARNING_LOG_DIR": str(self.logs),
            "XLEARNING_CREDENTIALS": str(self.staging / "credentials"),
            "XLEARNING_HOST": "127.0.0.1",
            "XLEARNING_BACKEND": "local",
        }
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "xlearning.container", cwd=self.work, env={**inherited, **ours, **environ}
        )

    async def exit_code(self) -> int:
        assert self.process is not None
        return await asyncio.wait_for(self.process.wait(), DEADLINE)

    async def prepare(self, ports: int = 0) -> pb.PortsReady:
        await self.master.connected()
        self.master.order(prepare=pb.Prepare(role="worker", index=0, ports=ports))
        ready: pb.PortsReady = await self.master.heard("ports_ready")
        return ready

    def launch(self, *command: str, **fields: Any) -> None:
        spec = LaunchSpec(command=command, **fields)
        self.master.order(launch=pb.Launch(spec_json=json.dumps(to_dict(spec))))

    def python(self, code: str, **fields: Any) -> None:
        """Launch a Python program."""
        self.launch(sys.executable, "-c", code, **fields)

    async def release(self) -> None:
        """Send the agent home and see that it goes."""
        self.master.order(release=pb.Release(reason="done"))
        await self.master.heard("goodbye")
        assert await self.exit_code() == 0

    def log(self) -> str:
        return (self.logs / "agent.log").read_text()

    def alive(self) -> list[str]:
        """Processes of this container, those that fled included."""
        found = []
        for process in psutil.process_iter():
            try:
                if self.app_id in process.environ().values() and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(f"{process.pid} {process.cmdline()}")
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found

    async def vanished(self) -> None:
        """Wait until nothing of the container is left."""
        await self.master.until(lambda: not self.alive(), "empty container")

    async def end(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            await self.process.wait()
        await self.vanished()
        await self.master.stop()


@asynccontextmanager
async def container(
    root: Path, *, patience: float = DEADLINE, start: bool = True
) -> AsyncIterator[Container]:
    """A container with its agent and its master; nothing of it survives the block."""
    made = Container(root)
    made.master.patience = patience
    try:
        if start:
            await made.master.start()
            await made.start()
        yield made
    finally:
        await made.end()
        shutil.rmtree(made.work)
