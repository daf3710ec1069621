"""One attempt at run time: messages, polls and timers become events, actions become calls."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import json
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from xlearning.am import launch, orders
from xlearning.am.address import Address
from xlearning.am.backend import BackEnd
from xlearning.am.core import actions as act
from xlearning.am.core import events as ev
from xlearning.am.core.machine import Machine
from xlearning.am.core.state import Phase
from xlearning.am.core.view import snapshot
from xlearning.am.finish import Ending
from xlearning.am.inputs.listing import list_inputs
from xlearning.am.inputs.plan import InputPlan, plan_inputs
from xlearning.am.launches import Launches
from xlearning.am.logs import AgentLogs
from xlearning.am.pools import Pool
from xlearning.am.rpc import RpcServer
from xlearning.am.saves import Saves
from xlearning.am.status import StatusSource
from xlearning.cluster.base import ContainerManager
from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.commit import Committer
from xlearning.fs.retry import keep_trying
from xlearning.history.store import HistoryWriter
from xlearning.job import AppState, InputStrategy, JobSpec, SaveTrigger, Snapshot, to_dict
from xlearning.proto import xlearning_pb2 as pb

log = logging.getLogger(__name__)

_TICK = 0.25  # seconds
_FAREWELL = 5.0  # seconds an agent has to leave by itself after Release
_LAST_WORDS = 1.0  # seconds a waiting client has to take the last snapshot


@dataclass(frozen=True)
class Services:
    """What an attempt works with.

    Attributes
    ----------
    address_host : str
        The address by which agents and clients reach this process.
    requested : bool
        The back end was asked for all containers at submit.
    """

    manager: ContainerManager
    storage: FileSystems
    history: HistoryWriter
    certificate: bytes
    key: bytes
    address_host: str
    requested: bool


class Runtime:
    """Runs one attempt of a job from start to end."""

    def __init__(self, job: JobSpec, attempt: int, services: Services) -> None:
        self.config = Config.from_properties(job.properties)
        self.job = launch.effective_job(job, self.config, attempt)
        self.attempt = attempt
        self._services = services
        self._type = launch.type_of(job)
        rules = self._type.rules(self.job, self.config)
        self.machine = Machine(self.job, rules, launch.limits(self.config))
        self._events: asyncio.Queue[ev.Event] = asyncio.Queue()
        self._status = StatusSource()
        self._cluster = Pool("cluster", 4, 60.0)
        containers = self.machine.state.containers
        self._back_end = BackEnd(services.manager, self._cluster, containers, self.post, self._spawn)
        self._rpc = RpcServer(self.post, self._back_end.look_for, self._status)
        self._storage = Pool("file system", 4, 600.0)
        self._plan: InputPlan | None = None
        self._saves = Saves(self.machine, self.config, attempt, services.storage, self._storage, self.post)
        self._launches = Launches(
            self.job,
            self.config,
            attempt,
            self._type,
            services.storage,
            self._storage,
            send=self._send,
            post=self.post,
            spawn=self._spawn,
        )
        self._address = Address(services.storage, job.staging, attempt)
        self._tasks: set[asyncio.Task[None]] = set()
        self._staging_lock = asyncio.Lock()  # nothing is written there once its removal has begun
        self._clock = _Clock()
        self.snapshot: Snapshot = self._snapshot()
        retry_time = self.config.get("xlearning.fs.retry.time")
        self._committer = Committer(
            services.storage,
            job.app_id,
            job.staging,
            job.outputs,
            retry_time=retry_time,
            existing=self.config.get("xlearning.output.existing"),
        )
        self._launched, self._ended = asyncio.Event(), asyncio.Event()
        self.retry = False

    # ---- outside --------------------------------------------------------------------------------

    def post(self, event: ev.Event) -> None:
        """Take in an event; call it from the event loop."""
        self._events.put_nowait(event)

    def request_kill(self, user: str, reason: str) -> tuple[bool, str]:
        """Ask for the end of the job; (accepted, words). Call it from the event loop."""
        phase = self.machine.state.phase
        if phase is Phase.FINISHED or phase is Phase.RELEASING:
            return True, "the job is ending already"
        if phase is Phase.COMMITTING:
            return False, "the output is being committed; the job ends by itself"
        self.post(ev.KillRequested(user or "somebody", reason))
        return True, "the job is being stopped"

    def request_save(self, user: str, trigger: SaveTrigger = SaveTrigger.COMMAND) -> tuple[bool, str, str]:
        """Ask for a save of the output; (accepted, words, id). Call it from the event loop."""
        return self._saves.request(user, self._clock.now(), trigger)

    @property
    def agent_logs(self) -> AgentLogs:
        """Log files as the agents see them. For the event loop only."""
        return self._rpc.logs

    async def set_page(self, port: int, path: str) -> None:
        """Publish the page that listens on loopback."""
        async with self._staging_lock:
            if self.machine.state.phase is Phase.FINISHED:
                return
            self._address.page = await self._cluster.run(self._services.manager.register_page, port, path)
            await self._storage.run(self._address.write)
        self.machine.state.version += 1
        await self._publish()

    async def launched(self, timeout: float) -> None:
        """Wait until the programs are being started, at most ``timeout`` seconds."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._launched.wait(), timeout)

    async def run(self) -> AppState:
        """Run the attempt; returns its outcome. `retry` tells whether another one shall follow."""
        self._status.kill, self._status.save = self.request_kill, self.request_save
        services = self._services
        port = await self._rpc.start(services.address_host, services.certificate, services.key)
        self._address.rpc, self._address.started = f"{services.address_host}:{port}", self._clock.now()
        self.post(ev.AttemptStarted(self._address.started, self.attempt, services.requested))
        self._spawn(self._start())
        self._spawn(self._tick())
        self._spawn(self._back_end.poll_forever())
        while not self._ended.is_set():
            event = await self._events.get()
            for action in self.machine.handle(event):
                await self._carry_out(action)
        for task in list(self._tasks):
            task.cancel()
        await self._rpc.stop(0.2)
        self._cluster.close()
        self._storage.close()
        self._launches.close()
        return self.machine.state.outcome or AppState.FAILED

    # ---- sources of events ----------------------------------------------------------------------

    async def _start(self) -> None:
        """Fence older attempts, become findable, list the inputs."""
        retry_time = self.config.get("xlearning.fs.retry.time")
        try:
            # an end waits: what is made after its cleaning would stay for ever
            async with self._staging_lock:
                if self.machine.state.phase is Phase.FINISHED or not await self._take_place(retry_time):
                    return
        except (XLearningError, OSError) as error:
            self.post(ev.InputFailed(f"the staging folder cannot be used: {error}"))
            return
        try:
            self._plan = await self._storage.run(lambda: keep_trying(self._list, retry_time=retry_time))
        except (XLearningError, OSError) as error:
            self.post(ev.InputFailed(f"the input cannot be listed: {error}"))
            return
        self.post(ev.InputListed(self._plan.views(self.job)))

    async def _take_place(self, retry_time: float) -> bool:
        """Be the only attempt, with outputs of its own; whether there is anything left to be done."""
        await self._storage.run(lambda: keep_trying(self._address.write, retry_time=retry_time))
        committed = await self._storage.run(self._committer.take_over, self.attempt)
        if committed is not None:
            self.post(ev.AlreadyCommitted(committed.attempt, committed.failure))
            return False
        try:
            await self._storage.run(self._committer.claim, self.attempt)
        except (XLearningError, OSError) as error:
            self.post(ev.InputFailed(f"the output cannot be used: {error}"))
            return False
        return True

    def _list(self) -> InputPlan:
        allow_empty = self.config.get("xlearning.input.allow.empty")
        hidden = self.job.input_strategy is not InputStrategy.STREAM
        listing = list_inputs(self._services.storage, self.job.inputs, allow_empty=allow_empty, hidden=hidden)
        return plan_inputs(self.job, listing, self.config, self._services.storage)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            self.post(ev.Tick(self._clock.now()))

    # ---- actions --------------------------------------------------------------------------------

    async def _carry_out(self, action: act.Action) -> None:
        handler: Callable[[Any], Awaitable[None] | None] = _HANDLERS[type(action)].__get__(self)
        waiting = handler(action)
        if waiting is not None:
            await waiting

    def _request(self, action: act.RequestContainers) -> None:
        role = self.job.role(action.role)
        assert role is not None, action.role
        self._back_end.request(role, action.count)

    def _release(self, action: act.ReleaseContainer) -> None:
        message = orders.release(action, self._generation(action.container_id))
        connected = self._rpc.send(action.container_id, message)
        self._back_end.release(action.container_id, _FAREWELL if connected else 0.0)

    def _kill(self, action: act.KillContainer) -> None:
        log.info("ending container %s: %s", action.container_id, action.reason)
        self._rpc.cut(action.container_id)
        self._back_end.kill(action.container_id)

    def _accept(self, action: act.Accept) -> None:
        message = orders.registered(action, self._generation(action.container_id), self.config)
        self._rpc.accept(action.container_id, action.stream, message)

    def _refuse(self, action: act.Refuse) -> None:
        log.warning("refused an agent: %s", action.reason)
        self._rpc.refuse(action.stream, action.reason)

    def _prepare(self, action: act.Prepare) -> None:
        self._send(action.container_id, orders.prepare(action))

    def _launch(self, action: act.Launch) -> None:
        assert self._plan is not None, "launched before the inputs were listed"
        self._launched.set()
        self._plan = self._plan.placed(action.cluster)
        self._launches.launch(action, self._plan)

    def _stop(self, action: act.StopProcess) -> None:
        self._send(action.container_id, orders.stop(action))

    def _upload(self, action: act.Upload) -> None:
        pairs = launch.output_transfers(self.job, self.attempt, action.container_id)
        self._send(action.container_id, orders.upload(action, pairs))

    def _save(self, action: act.Save) -> None:
        self._send(action.container_id, self._saves.order(action))

    def _begin_save(self, action: act.BeginSave) -> None:  # noqa: ARG002
        self._saves.begin(self._clock.now())

    def _prune_saves(self, action: act.PruneSaves) -> None:
        self._spawn(self._saves.prune(action))

    def _seal_save(self, action: act.SealSave) -> None:
        self._spawn(self._saves.seal(action))

    def _commit(self, action: act.Commit) -> None:
        self._spawn(self._run_commit(action))

    async def _run_commit(self, action: act.Commit) -> None:
        commit = functools.partial(
            self._committer.commit,
            self.attempt,
            [part.container_id for part in action.uploaded],
            stored=[place for part in action.uploaded for place in part.places],
            flat=launch.is_flat(self.job, self.config),
            failure=action.failure,
        )
        try:
            await self._storage.run(commit)
        except Exception as error:  # whatever it is: nothing but these two events ends the phase
            log.exception("commit failed")
            self.post(ev.CommitFailed(str(error) or repr(error)))
        else:
            self.post(ev.CommitDone())

    def _record(self, action: act.Record) -> None:
        data = dict(action.data)
        log.info("%s %s", action.kind, {k: v for k, v in data.items() if v not in ("", None) and k != "time"})
        self._services.history.record(action.kind, data, float(data.pop("time", self._clock.now())))

    async def _publish_action(self, action: act.PublishSnapshot) -> None:  # noqa: ARG002
        await self._publish()

    async def _publish(self) -> None:
        self.snapshot = self._snapshot()
        self._services.history.snapshot(self.snapshot)
        await self._status.publish(self.snapshot.version, json.dumps(to_dict(self.snapshot)))

    async def _finish(self, action: act.Finish) -> None:
        ending = Ending(self.job, self.config, self._services, self._committer, self._storage)
        several = self.attempt < self.config.get("xlearning.app.max.attempts")
        self.retry = action.retry or (several and await ending.replaced(action.state))
        action = dataclasses.replace(action, retry=self.retry)
        async with self._staging_lock:
            said_again = await ending.carry_out(action, self._snapshot())
        self.snapshot = dataclasses.replace(self._snapshot(), said_again=said_again)
        last = json.dumps(to_dict(self.snapshot))
        await self._status.publish_last(self.snapshot.version, last, _LAST_WORDS)
        async with self._staging_lock:
            await ending.tidy()
        self._ended.set()

    # ---- small steps ----------------------------------------------------------------------------

    def _send(self, container_id: str, message: pb.AmMessage) -> None:
        if not self._rpc.send(container_id, message):
            log.warning("%s is not connected: %s waits", container_id, message.WhichOneof("body"))

    def _generation(self, container_id: str) -> int:
        container = self.machine.state.containers.get(container_id)
        return container.generation if container else 0

    def _snapshot(self) -> Snapshot:
        files = self._plan.counts() if self._plan else {}
        trouble = self._services.history.trouble
        notes = (trouble,) if trouble else ()
        return snapshot(self.machine, input_files=files, page_url=self._address.page, notes=notes)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._reap)

    def _reap(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task of the ApplicationMaster failed", exc_info=error)
            self.post(ev.BackendFailed("carry on", f"internal error: {error!r}"))


class _Clock:
    """Seconds since 1970 that never go back, whatever is done to the wall clock."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return time.monotonic() + self._offset


_HANDLERS: dict[type[act.Action], Any] = {
    act.RequestContainers: Runtime._request,
    act.ReleaseContainer: Runtime._release,
    act.KillContainer: Runtime._kill,
    act.Accept: Runtime._accept,
    act.Refuse: Runtime._refuse,
    act.Prepare: Runtime._prepare,
    act.Launch: Runtime._launch,
    act.StopProcess: Runtime._stop,
    act.Upload: Runtime._upload,
    act.Save: Runtime._save,
    act.BeginSave: Runtime._begin_save,
    act.PruneSaves: Runtime._prune_saves,
    act.SealSave: Runtime._seal_save,
    act.Commit: Runtime._commit,
    act.Record: Runtime._record,
    act.PublishSnapshot: Runtime._publish_action,
    act.Finish: Runtime._finish,
}
