"""The launcher's container: runs mpirun, whose remote shell is the nodes that have called here."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xlearning.container.mpi import scripts, talk
from xlearning.container.mpi.rendezvous import Store

_LOOK = 0.02  # seconds between two looks for orders of mpirun
_NOTICE = 3.0  # seconds for mpirun to notice that a node has gone
_LAST_WORDS = 5.0  # seconds for nodes to say how they ended
_LATE = 30.0  # the same seconds where all is well so far, and seconds for mpirun when a node has ended well
_AWAIT_STOP = 30.0  # seconds for the ApplicationMaster to stop this container when another is to blame


@dataclass
class Node:
    """One worker's container, connected."""

    index: int
    writer: asyncio.StreamWriter
    started: bool = False
    ended: int | None = None  # exit code of its daemon
    lost: bool = False
    failed: list[list[int]] = field(default_factory=list)  # rank, exit code
    custom: int | None = None
    ranks: list[list[str]] = field(default_factory=list)  # rank, how many there are, the MPI job they are of

    @property
    def done(self) -> bool:
        return self.lost or not self.started or self.ended is not None

    @property
    def broken(self) -> bool:
        """Whether mpirun cannot end well any more."""
        return self.lost or bool(self.ended)

    def blame(self, code: int) -> tuple[int, str] | None:
        """Exit code and words, if the job failed for this node. ``code`` is that of mpirun."""
        if self.custom:
            return self.custom, f"the program has written {self.custom} as its exit code"
        if self.failed:
            rank, own = min(self.failed, key=lambda one: one[1] != code)
            return own, f"rank {rank} ended with exit code {own}"
        if self.ended:
            return self.ended, f"Open MPI's daemon (orted) ended with exit code {self.ended}"
        return None


class Launcher:
    """mpirun and its nodes."""

    def __init__(self, plan: talk.Plan) -> None:
        self._plan = plan
        self._nodes: dict[int, Node] = {}
        self._changed = asyncio.Condition()
        self._gave_up = False
        self._killed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._orders = talk.FOLDER / "orders"
        self._orders.mkdir(exist_ok=True)
        self._env = dict(os.environ)
        talk.settle(plan, "mpirun", self._env)
        self._env["XLEARNING_MPI_ORDERS"] = str(self._orders)
        for name, value in self._settings().items():
            self._env.setdefault(f"OMPI_MCA_{name}", value)

    def _settings(self) -> dict[str, str]:
        """What makes mpirun use our nodes; parameters that the user has set stay."""
        settings = {
            "plm": "rsh",
            "plm_rsh_agent": scripts.NODE,
            "plm_rsh_no_tree_spawn": "1",
            "plm_rsh_num_concurrent": str(self._plan.nodes + 1),
            "orte_leave_session_attached": "1",
            "orte_fork_agent": scripts.RANK,
            "if_base_do_not_resolve": "1",  # the nodes' names are ours, no DNS knows them
            "hwloc_base_binding_policy": "none",  # all containers of a host would share its first cores
            "mpi_yield_when_idle": "1",
        }
        if self._plan.address.startswith("127."):
            settings["oob_tcp_if_include"] = "127.0.0.0/8"
        return settings

    async def run(self) -> int:
        """Run mpirun once all nodes are here; the exit code of this container."""
        _check_version(self._env)
        server = await asyncio.start_server(
            self._meet,
            self._plan.address,
            self._plan.launcher[1],
            ssl=talk.tls(server=True),
            limit=talk.LONGEST_LINE,
            reuse_address=True,
            reuse_port=True,
            backlog=1024,
        )
        if self._plan.store:
            Store(self._plan.address, self._plan.store)
        async with server:
            await self._until(lambda: len(self._nodes) == self._plan.nodes)
            code = await self._mpirun()
            await self._wait(lambda node: node.done, _LAST_WORDS if code else _LATE)
            return await self._judge(code)

    async def _mpirun(self) -> int:
        hosts = ",".join(f"{_host(index)}:{self._plan.processes}" for index in range(self._plan.nodes))
        words = ["mpirun", *(["--allow-run-as-root"] if os.getuid() == 0 else [])]
        # the folder of the daemon, which is that of its container; that of mpirun is not on the other hosts
        words += ["--wdir", "/proc/self/cwd", "--host", hosts, *self._plan.command]
        process = await asyncio.create_subprocess_exec(*words, env=self._env, stdin=subprocess.DEVNULL)
        works = (self._carry, lambda: self._watch(process), self._tell_launched)
        helpers = [asyncio.create_task(self._help(work, process)) for work in works]
        code = talk.shell_code(await process.wait())
        self._killed = not self._gave_up and bool(process.returncode and process.returncode < 0)
        for helper in helpers:
            helper.cancel()
        return code or int(self._gave_up)

    async def _help(
        self, work: Callable[[], Coroutine[Any, Any, None]], process: asyncio.subprocess.Process
    ) -> None:
        """Do what mpirun waits for; if that fails, nothing else would ever end it."""
        try:
            await work()
        except ProcessLookupError:
            return  # mpirun has just ended
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            talk.say(f"mpirun is stopped, for its launcher has failed: {error!r}")
            self._gave_up = True
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """End mpirun where it waits in vain: a daemon that dies before it has called is never missed."""
        nodes = self._nodes.values()
        await self._until(lambda: any(node.broken or node.ended is not None for node in nodes))
        try:
            await asyncio.wait_for(self._until(lambda: any(node.broken for node in nodes)), _LATE)
        except asyncio.TimeoutError:
            ended = ", ".join(f"worker:{node.index}" for node in nodes if node.ended is not None)
            talk.say(f"mpirun has not ended in the {_LATE:g} seconds since {ended} did: it is stopped")
        else:
            await asyncio.sleep(_NOTICE)
        self._gave_up = True
        process.terminate()
        await asyncio.sleep(_NOTICE)
        process.kill()

    async def _carry(self) -> None:
        """Send what mpirun wants to run to the nodes."""
        while not all(node.started for node in self._nodes.values()):
            for index, node in self._nodes.items():
                order = self._orders / _host(index)
                if not node.started and order.exists():
                    node.started = True
                    talk.send(node.writer, run=order.read_text("utf-8", "surrogateescape"))
            await asyncio.sleep(_LOOK)

    async def _tell_launched(self) -> None:
        """Let each node know when all ranks run: one without any need not wait for the end of the job."""
        await self._until(lambda: all_run(rank for node in self._nodes.values() for rank in node.ranks))
        for node in self._nodes.values():
            talk.send(node.writer, launched=True)

    async def _judge(self, code: int) -> int:
        """Tell the nodes how it ended. The one that is to blame ends first, so that the job says its name."""
        custom = [node.custom for node in self._nodes.values() if node.custom is not None]
        if custom:
            code = next((one for one in custom if one), 0)
        if code == 0:
            for node in self._nodes.values():
                talk.send(node.writer, end=0)
            await self._wait(lambda node: node.lost, _LATE)  # or what was sent might not arrive
            return 0
        if self._killed and not any(node.failed for node in self._nodes.values()):
            talk.say(f"mpirun was killed by signal {code - 128}")
            return code
        blamed = [(node, found) for node in self._nodes.values() if (found := node.blame(code))]
        # the rank whose code mpirun passes on, before those that failed because it did
        for node, (own, words) in sorted(blamed, key=lambda one: one[1][0] != code)[:1]:
            talk.say(f"worker:{node.index}: {words}")
            talk.send(node.writer, end=own, words=words)
        if blamed or any(node.lost for node in self._nodes.values()):
            await asyncio.sleep(_AWAIT_STOP)
        elif not custom and not self._gave_up and code > 128:
            talk.say(f"mpirun could not run the command: it ended with {code}, its own code and no signal")
            return 1
        return code

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._hear(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = await talk.receive(reader)
        index = hello.get("node") if hello else None
        if not isinstance(index, int) or not 0 <= index < self._plan.nodes or index in self._nodes:
            talk.say(f"refused a connection from {writer.get_extra_info('peername')}: {hello}")
            writer.close()
            return
        node = self._nodes[index] = Node(index, writer)
        await self._tell()
        while (message := await talk.receive(reader)) is not None:
            if "ranks" in message:
                node.ranks = message["ranks"]
            else:
                node.ended, node.failed, node.custom = message["ended"], message["failed"], message["custom"]
            await self._tell()
        node.lost = True
        await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _until(self, true: Callable[[], bool]) -> None:
        async with self._changed:
            await self._changed.wait_for(true)

    async def _wait(self, true: Callable[[Node], bool], seconds: float) -> None:
        """Until it is true of every node, but no longer than that."""
        try:
            await asyncio.wait_for(self._until(lambda: all(map(true, self._nodes.values()))), seconds)
        except asyncio.TimeoutError:
            late = [f"worker:{node.index}" for node in self._nodes.values() if not true(node)]
            talk.say(f"no word of its end from {', '.join(late)}")


def all_run(ranks: Iterable[Sequence[str]]) -> bool:
    """Whether all ranks of an MPI job are among these; those that a program spawns are a job of their own."""
    found: dict[tuple[str, ...], set[str]] = {}
    for rank, *job in ranks:
        found.setdefault(tuple(job), set()).add(rank)
    return any(len(here) == int(job[0]) for job, here in found.items())


def _host(index: int) -> str:
    """Name of a node for mpirun; no real one, for several containers may share a host."""
    return f"xl-{index}"


def _check_version(env: dict[str, str]) -> None:
    said = subprocess.run(["mpirun", "--version"], env=env, capture_output=True, text=True, check=False)
    found = re.search(r"\(Open MPI\) (\d+)\.", said.stdout)
    if found is None or int(found.group(1)) not in (3, 4):
        first = (said.stdout or said.stderr).partition("\n")[0]
        talk.fail(
            f"mpirun on this node is not that of Open MPI 3 or 4: {first or 'it says no version'}; "
            "name the folder of one by xlearning.mpi.install.dir"
        )


def main() -> int:
    """The program of the launcher's container."""
    return asyncio.run(Launcher(talk.Plan.read()).run())
