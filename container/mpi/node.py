"""A worker's container: starts Open MPI's daemon for the launcher, and ends as the launcher says."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import tempfile
import time
from pathlib import Path

from xlearning.container.mpi import talk

_PATIENCE = 60.0  # seconds for the launcher to listen
_DRAIN = 10  # seconds that what rank 0 leaves behind may still write
_AWAIT_STOP = 30.0  # seconds for the ApplicationMaster to stop a container that is not to blame


class Node:
    """This container."""

    def __init__(self, plan: talk.Plan) -> None:
        self._plan = plan
        self._failed = talk.FOLDER / "failed"
        self._env = dict(os.environ)
        own_tmp = self._env.get("TMPDIR", "/tmp")
        path = talk.settle(plan, "orted", self._env)
        self._env |= {
            "XLEARNING_MPI_DIR": str(Path.cwd()),
            "XLEARNING_MPI_PATH": path,
            "XLEARNING_MPI_TMPDIR": own_tmp,
            "XLEARNING_MPI_NODE": str(os.getpid()),
            "XLEARNING_MPI_FAILED": str(self._failed),
            "XLEARNING_MPI_DRAIN": str(_DRAIN),
        }
        if plan.store:
            self._env |= {
                "HOROVOD_GLOO_RENDEZVOUS_ADDR": plan.launcher[0],
                "HOROVOD_GLOO_RENDEZVOUS_PORT": str(plan.store),
                "HOROVOD_HOSTNAME": f"xl-{plan.index}",
                "HOROVOD_CROSS_RANK": str(plan.index),
                "XLEARNING_MPI_SLOTS": str(plan.processes),
            }
        self._shared = _shared_memory()
        settings = {**_interface(plan.address), "OMPI_MCA_btl_vader_backing_directory": self._shared}
        for name, value in settings.items():
            self._env.setdefault(name, value)

    async def run(self) -> int:
        """Serve one launcher; the exit code of this container."""
        me = asyncio.current_task()
        assert me is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, me.cancel)
        try:
            return await self._serve()
        except asyncio.CancelledError:
            return 128 + signal.SIGTERM
        finally:
            shutil.rmtree(self._shared, ignore_errors=True)

    async def _serve(self) -> int:
        reader, writer = await self._connect()
        talk.send(writer, node=self._plan.index)
        daemon: asyncio.Task[None] | None = None
        while (order := await talk.receive(reader)) is not None:
            if "run" in order:
                daemon = asyncio.create_task(self._start(order["run"], writer))
            else:
                return await self._end(order)
        if daemon is not None:
            daemon.cancel()
        talk.say("the connection to the launcher of mpirun (scheduler:0) broke")
        await asyncio.sleep(_AWAIT_STOP)  # it is to blame, and the ApplicationMaster will say so
        return 1

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = self._plan.launcher
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                return await asyncio.open_connection(
                    host, port, ssl=talk.tls(server=False), limit=talk.LONGEST_LINE
                )
            except OSError as error:
                if time.monotonic() > deadline:
                    talk.fail(f"the launcher of mpirun at {host}:{port} does not answer: {error}")
            await asyncio.sleep(0.1)

    async def _start(self, command: str, writer: asyncio.StreamWriter) -> None:
        daemon = await asyncio.create_subprocess_exec(
            *("/bin/sh", "-c", command), env=self._env, stdin=asyncio.subprocess.DEVNULL
        )
        code = talk.shell_code(await daemon.wait())
        talk.send(writer, ended=code, failed=self._failures(), custom=self._custom_exit())

    def _failures(self) -> list[list[int]]:
        """Rank and exit code of the ranks that failed here, in their order."""
        if not self._failed.exists():
            return []
        return [[int(word) for word in line.split()] for line in self._failed.read_text().splitlines()]

    def _custom_exit(self) -> int | None:
        """What the program wrote as its exit code, if it did."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(Path(self._plan.custom_exit).read_text().splitlines()[0]) & 255
        return None

    async def _end(self, order: dict[str, object]) -> int:
        code = order["end"]
        assert isinstance(code, int)
        if order.get("words"):
            talk.say(str(order["words"]))
        elif code:
            await asyncio.sleep(_AWAIT_STOP)
        return code


def _shared_memory() -> str:
    """A folder for the shared memory of this container's ranks.

    Open MPI names it after the host and the rank within its daemon, so the daemons of two containers on
    one host would use the same.
    """
    name = f"xlearning-mpi-{os.environ.get('CONTAINER_ID', '')}-"
    for base in ("/dev/shm", None):
        with contextlib.suppress(OSError):
            return tempfile.mkdtemp(prefix=name, dir=base)
    return talk.fail("no folder for shared memory can be made, neither in /dev/shm nor in TMPDIR")


def _interface(address: str) -> dict[str, str]:
    """Keep Open MPI to the network that the containers reach each other by.

    Left alone it tries all of them, bridges of Docker too, where others cannot follow.
    """
    try:
        found = socket.getaddrinfo(address, None, family=socket.AF_INET, type=socket.SOCK_STREAM)
    except OSError:
        return {}
    ip = found[0][4][0]
    return {"OMPI_MCA_oob_tcp_if_include": f"{ip}/32", "OMPI_MCA_btl_tcp_if_include": f"{ip}/32"}


def main() -> int:
    """The program of a worker's container."""
    return asyncio.run(Node(talk.Plan.read()).run())
