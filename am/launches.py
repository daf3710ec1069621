"""Launches at run time: what a program needs is made, and sent to its agent."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from xlearning.am import launch, orders
from xlearning.am.core import actions as act
from xlearning.am.core import events as ev
from xlearning.am.inputs.plan import InputPlan
from xlearning.am.pools import Pool
from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.frameworks.base import Framework
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.fs.retry import keep_trying
from xlearning.fs.steps import write
from xlearning.job import JobSpec, LaunchSpec, to_dict
from xlearning.proto import xlearning_pb2 as pb

log = logging.getLogger(__name__)

_INLINE_LIMIT = 1 << 20  # bytes of a launch specification that still goes through the stream


class Launches:
    """Starts the programs of one attempt.

    Parameters
    ----------
    type_ : Framework
        The rules of the job's application type.
    pool : Pool
        Where calls into ``storage`` run.
    send : callable
        Takes a container's id and a message for its agent.
    post : callable
        Takes an event.
    spawn : callable
        Takes work that goes on by itself.
    """

    def __init__(
        self,
        job: JobSpec,
        config: Config,
        attempt: int,
        type_: Framework,
        storage: FileSystems,
        pool: Pool,
        *,
        send: Callable[[str, pb.AmMessage], None],
        post: Callable[[ev.Event], None],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._job, self._config, self._attempt, self._type = job, config, attempt, type_
        self._storage, self._pool = storage, pool
        self._send, self._post, self._spawn = send, post, spawn
        # the type itself keeps to its time, and says where it has spent it
        self._asking = Pool("application type", 1, config.get("xlearning.app.type.timeout") + 60.0)

    def launch(self, action: act.Launch, plan: InputPlan) -> None:
        """Have the program of a container started."""
        task = action.task
        sink = launch.sink_spec(self._job, self._config, self._attempt, action.container_id, task)
        make = functools.partial(
            launch.launch_spec, self._job, self._config, plan, task, action.cluster, sink, self._type
        )
        if self._job.framework:  # code of somebody else: the event loop does not wait for it
            self._spawn(self._launch_when_made(action, make))
            return
        try:
            spec = make()
        except XLearningError as error:  # the type has nothing that the program could run with
            self._failed(action, error)
        else:
            self._deliver(action, spec)

    def close(self) -> None:
        """Wait for no answer any more."""
        self._asking.close()

    async def _launch_when_made(self, action: act.Launch, make: Callable[[], LaunchSpec]) -> None:
        try:
            spec = await self._asking.run(make)
        except XLearningError as error:
            self._failed(action, error)
        else:
            self._deliver(action, spec)

    def _deliver(self, action: act.Launch, spec: LaunchSpec) -> None:
        text = json.dumps(to_dict(spec))
        if len(text.encode()) <= _INLINE_LIMIT:
            self._send(action.container_id, orders.launch(action, spec_json=text))
        else:
            self._spawn(self._deliver_by_file(action, text))

    async def _deliver_by_file(self, action: act.Launch, text: str) -> None:
        path = join(self._job.staging, "launch", f"{action.container_id}.json")
        put = functools.partial(write, self._storage.of(path), path, text.encode())
        retry_time = self._config.get("xlearning.fs.retry.time")
        try:
            await self._pool.run(lambda: keep_trying(put, retry_time=retry_time))
        except (XLearningError, OSError) as error:
            self._failed(action, error)
        else:
            self._send(action.container_id, orders.launch(action, file=path))

    def _failed(self, action: act.Launch, error: Exception) -> None:
        self._post(ev.LaunchFailed(f"{action.task} cannot be launched: {error}"))
