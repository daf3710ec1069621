"""Save Model at run time: requests get their answer, decisions become orders, whole saves their mark."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable

from xlearning.am import launch, orders
from xlearning.am.core import actions as act
from xlearning.am.core import events as ev
from xlearning.am.core.machine import Machine
from xlearning.am.pools import Pool
from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.commit import mark_whole
from xlearning.fs.retry import keep_trying
from xlearning.proto import xlearning_pb2 as pb

log = logging.getLogger(__name__)


class Saves:
    """The saves of one attempt.

    Parameters
    ----------
    machine : Machine
    pool : Pool
        Where calls into ``storage`` run.
    post : callable
        Takes an event.
    """

    def __init__(
        self,
        machine: Machine,
        config: Config,
        attempt: int,
        storage: FileSystems,
        pool: Pool,
        post: Callable[[ev.Event], None],
    ) -> None:
        self._machine, self._config, self._attempt = machine, config, attempt
        self._storage, self._pool, self._post = storage, pool, post
        self._given: list[str] = []

    def request(self, user: str, now: float) -> tuple[bool, str, str]:
        """Begin a save of the output as it is ``now``; (accepted, words, id)."""
        known = {run.save_id for run in self._machine.state.saves}
        if self._given and self._given[-1] not in known:  # the event is still on its way
            return False, f"save {self._given[-1]} has just been asked for", ""
        refusal = self._machine.save_refusal()
        if refusal:
            return False, refusal, ""
        save_id = launch.new_save_id(now, self._given)
        self._given.append(save_id)
        paths = launch.save_folders(self._machine.job, self._config, save_id)
        self._post(ev.SaveRequested(save_id, user or "somebody", paths))
        return True, f"the output is being saved to {', '.join(paths)}", save_id

    def order(self, action: act.Save) -> pb.AmMessage:
        """What a container is told."""
        job, container = self._machine.job, action.container_id
        order = launch.save_order(job, self._config, self._attempt, action.save_id, container)
        return orders.save(action, order.transfers, order.moves)

    async def seal(self, action: act.SealSave) -> None:
        """Mark the folders of a save as whole."""
        try:
            await self._pool.run(self._mark, action.paths)
        except (XLearningError, OSError) as error:
            log.warning("save %s could not be marked as whole: %s", action.save_id, error)
            self._post(ev.SaveSealFailed(action.save_id, str(error)))
        else:
            self._post(ev.SaveSealed(action.save_id))

    def _mark(self, paths: tuple[str, ...]) -> None:
        retry_time = self._config.get("xlearning.fs.retry.time")
        for path in paths:
            mark = functools.partial(mark_whole, self._storage.of(path), path, self._machine.job.app_id)
            keep_trying(mark, retry_time=retry_time)
