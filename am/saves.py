"""Save Model at run time: requests get their answer, decisions become orders, whole saves their mark."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Callable

from xlearning.am import launch, orders
from xlearning.am.core import actions as act
from xlearning.am.core import events as ev
from xlearning.am.core.machine import Machine
from xlearning.am.pools import Pool
from xlearning.am.retention import MANIFEST, prune
from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.fs.retry import keep_trying
from xlearning.fs.steps import mark_whole, write
from xlearning.job import SaveTrigger, to_dict
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

    def request(self, user: str, now: float, trigger: SaveTrigger) -> tuple[bool, str, str]:
        """Ask for a save of the output, which begins ``now`` or after the one that runs.

        Returns
        -------
        tuple of (bool, str, str)
            Whether it was accepted, words for who asked, its id.
        """
        refusal = self._machine.save_refusal()
        if refusal:
            return False, refusal, ""
        running = self._machine.state.saving()
        save_id, paths = self._begin(user or "somebody", now, trigger)
        places = ", ".join(paths)
        if running is not None:
            return True, f"the output will be saved to {places} after save {running.save_id}", save_id
        return True, f"the output is being saved to {places}", save_id

    def begin(self, now: float) -> None:
        """Begin a save that nobody asked for."""
        self._begin(self._machine.job.user, now, SaveTrigger.INTERVAL)

    def _begin(self, user: str, now: float, trigger: SaveTrigger) -> tuple[str, tuple[str, ...]]:
        save_id = launch.new_save_id(now, self._given)
        self._given.append(save_id)
        paths = launch.save_folders(self._machine.job, self._config, save_id)
        self._post(ev.SaveRequested(save_id, user, paths, trigger))
        return save_id, paths

    def order(self, action: act.Save) -> pb.AmMessage:
        """What a container is told."""
        job, container = self._machine.job, action.container_id
        order = launch.save_order(job, self._config, self._attempt, action.save_id, container)
        return orders.save(action, order.transfers, order.moves)

    async def seal(self, action: act.SealSave) -> None:
        """Write the list of the parts into the folders of a save, then the mark that they are whole."""
        try:
            await self._pool.run(self._mark, action)
        except Exception as error:  # whatever it is, the training goes on
            known = isinstance(error, (XLearningError, OSError))
            words, trace = "save %s could not be marked as whole: %s", None if known else error
            log.warning(words, action.save_id, error, exc_info=trace)
            self._post(ev.SaveSealFailed(action.save_id, str(error) or repr(error)))
        else:
            self._post(ev.SaveSealed(action.save_id))

    async def prune(self, action: act.PruneSaves) -> None:
        """Delete saves that are older than those to keep."""
        keep = self._config.get("xlearning.interresult.keep")
        gone, problems = list[str](), list[str]()
        for path in action.paths:
            work = functools.partial(
                prune,
                self._storage,
                path,
                action.save_id,
                self._machine.job.app_id,
                keep,
                self._config.get("xlearning.fs.retry.time"),
            )
            try:
                more = await self._pool.run(work)
            except Exception as error:  # it hangs, or whatever it is: the training goes on
                log.warning("older saves beside %s were left", path, exc_info=error)
                more = [], [f"older saves beside {path} were left: {str(error) or repr(error)}"]
            gone, problems = gone + more[0], problems + more[1]
        self._post(ev.SavesPruned(tuple(dict.fromkeys(gone)), tuple(problems)))

    def _mark(self, action: act.SealSave) -> None:
        retry_time = self._config.get("xlearning.fs.retry.time")
        about = {
            "version": 1,
            "app_id": self._machine.job.app_id,
            "save": action.save_id,
            "needs": sorted({holder for part in action.parts for holder in part.needs}),
            "parts": [to_dict(part) for part in action.parts],
        }
        text = json.dumps(about).encode("ascii")
        for path in action.paths:
            fs = self._storage.of(path)
            keep_trying(functools.partial(write, fs, join(path, MANIFEST), text), retry_time=retry_time)
            mark = functools.partial(mark_whole, fs, path, self._machine.job.app_id)
            keep_trying(mark, retry_time=retry_time)
