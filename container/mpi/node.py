"""A worker's container: starts Open MPI's daemon for the launcher, and ends as the launcher says."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import time
from pathlib import Path

from xlearning.container.mpi import talk
from xlearning.container.mpi.shared import SharedMemory

_LOOK = 0.1  # seconds between two looks for new ranks
_PATIENCE = 60.0  # seconds for the launcher to listen
_NOT_STARTED = 126  # exit code, as a shell counts
_DRAIN = 10  # seconds that what rank 0 leaves behind may still write
_WAY_OUT = (
    "let mpirun start ranks in all workers (leave out -np), ask for fewer of them (--worker-num), "
    "or set xlearning.mpi.spawn=true if the program starts ranks here later"
)
_AWAIT_STOP = 30.0  # seconds for the ApplicationMaster to stop a container that is not to blame


class Node:
    """This container."""

    def __init__(self, plan: talk.Plan) -> None:
        self._plan = plan
        self._failed = talk.FOLDER / "failed"
        self._ranks = talk.FOLDER / "ranks"
        self._noted = False
        self._env = dict(os.environ)
        self._files = int(self._env.pop(talk.OWN_FILES, "0"))
        own_tmp = self._env.get("TMPDIR", "/tmp")
        path = talk.settle(plan, "orted", self._env)
        self._env |= {
            "XLEARNING_MPI_DIR": str(Path.cwd()),
            "XLEARNING_MPI_PATH": path,
            "XLEARNING_MPI_TMPDIR": own_tmp,
            "XLEARNING_MPI_NODE": str(os.getpid()),
            "XLEARNING_MPI_FAILED": str(self._failed),
            "XLEARNING_MPI_RANKS": str(self._ranks),
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
        self._shared = SharedMemory()
        settings = {**_interface(plan.address), "OMPI_MCA_btl_vader_backing_directory": self._shared.path}
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
            self._shared.remove()

    async def _serve(self) -> int:
        reader, writer = await self._connect()
        talk.send(writer, node=self._plan.index)
        helpers: list[asyncio.Task[None]] = []
        while (order := await talk.receive(reader)) is not None:
            if "run" in order:
                helpers = [
                    asyncio.create_task(self._tell_ranks(writer)),
                    asyncio.create_task(self._start(order["run"], writer)),
                ]
            elif "launched" in order:
                for helper in helpers[:1]:
                    helper.cancel()
                if not self._plan.spawns and (code := self._idle()):
                    return code
            else:
                return await self._end(order)
        for helper in helpers:
            helper.cancel()
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

    async def _tell_ranks(self, writer: asyncio.StreamWriter) -> None:
        told = 0
        while True:
            with contextlib.suppress(FileNotFoundError):
                lines = self._ranks.read_text().splitlines()
                if len(lines) > told:
                    told = len(lines)
                    talk.send(writer, ranks=[line.split() for line in lines])
            await asyncio.sleep(_LOOK)

    async def _start(self, command: str, writer: asyncio.StreamWriter) -> None:
        try:
            daemon = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", command), env=self._env, stdin=asyncio.subprocess.DEVNULL
            )
        except OSError as error:  # mpirun would wait for it for ever
            talk.say(f"Open MPI's daemon (orted) cannot be started: {error}")
            talk.send(writer, ended=_NOT_STARTED, failed=[], custom=None)
            return
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
        else:
            return self._idle()
        return code

    def _idle(self) -> int:
        """The exit code of this worker, if the job goes on or has ended well without it."""
        if self._noted or self._ranks.exists():
            return 0
        self._noted = True
        talk.say(f"no rank of the job has run in worker:{self._plan.index}")
        if self._files:
            files = "1 file" if self._files == 1 else f"{self._files} files"
            talk.say(f"so nobody has read its share of the input, {files}: {_WAY_OUT}")
        elif self._plan.publishes:
            talk.say(
                f"so it has no output to publish: {_WAY_OUT}, or name one that has some (--output-index)"
            )
        return int(bool(self._files or self._plan.publishes))


def _interface(address: str) -> dict[str, str]:
    """Keep Open MPI to the network that the containers reach each other by.

    Left alone it tries all of them, bridges of Docker too, where others cannot follow. By a mask of 32 bits
    as well: it shifts a number of 32 bits by as many, which leaves all of them in (1 << 32 is 1 there).
    """
    try:
        found = socket.getaddrinfo(address, None, family=socket.AF_INET, type=socket.SOCK_STREAM)
    except OSError:
        return {}
    ip = found[0][4][0]
    return {"OMPI_MCA_oob_tcp_if_include": f"{ip}/31", "OMPI_MCA_btl_tcp_if_include": f"{ip}/31"}


def main() -> int:
    """The program of a worker's container."""
    return asyncio.run(Node(talk.Plan.read()).run())
