"""The end of an attempt: outputs in order, history closed, back end told, staging removed."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xlearning.am.core.actions import Finish
from xlearning.am.pools import Pool
from xlearning.cluster import ended
from xlearning.config import Config
from xlearning.config.confidential import mask
from xlearning.errors import XLearningError
from xlearning.fs.commit import Committer
from xlearning.fs.retry import keep_trying
from xlearning.job import AppState, JobSpec, Snapshot

if TYPE_CHECKING:
    from xlearning.am.runtime import Services

log = logging.getLogger(__name__)

_HISTORY_PATIENCE = 10.0  # seconds; the history is optional, the job does not wait for it longer


class Ending:
    """Carries out `Finish`. Every step is tried, whatever became of those before it."""

    def __init__(
        self, job: JobSpec, config: Config, services: Services, committer: Committer, storage: Pool
    ) -> None:
        self._job, self._config, self._services = job, config, services
        self._committer, self._pool = committer, storage
        self._over = False  # nobody needs the staging folder any more

    async def replaced(self, state: AppState) -> bool:
        """Whether another attempt is at work, or the job was settled: then nothing is ours to end.

        A success is told also where somebody has deleted the staging folder, which an attempt after it
        would need.
        """
        look = functools.partial(self._committer.replaced, gone=state is not AppState.SUCCEEDED)
        return await self._attempt("look for a newer attempt", look, timeout=_HISTORY_PATIENCE) is True

    async def carry_out(self, action: Finish, snapshot: Snapshot) -> bool:
        """Do everything that is due at the end but `tidy`; ``snapshot`` is the last one.

        Returns
        -------
        bool
            Whether the back end starts another attempt although nothing is left to be done.
        """
        clean = action.state is AppState.SUCCEEDED or action.retry or await self._discard()
        history = self._services.history
        history.snapshot(snapshot)
        await self._attempt("close the history", history.close, timeout=_HISTORY_PATIENCE)
        finish, words = self._services.manager.finish, _diagnostics(action.reason)
        followed = await self._attempt(
            "report the end", lambda: finish(action.state, words, retry=action.retry)
        )
        if action.retry:
            return False
        if followed:
            said = ended.Ended(action.state, words, snapshot.attempt)
            await self._attempt("leave a record of the end", lambda: self._record(said))
        else:
            self._over = clean and self._config.get("xlearning.cleanup.enable")
        return bool(followed)

    async def tidy(self) -> None:
        """Remove staging. Clients have been told the end by then: without the folder nobody finds us."""
        if self._over:
            await self._attempt("remove the staging folder", self._remove_staging)

    def _record(self, said: ended.Ended) -> None:
        storage, staging = self._services.storage, self._job.staging
        retry_time = self._config.get("xlearning.fs.retry.time")
        keep_trying(lambda: ended.write(storage, staging, said), retry_time=retry_time)

    async def _discard(self) -> bool:
        """Remove uncommitted output, unless a commit was begun: then staging keeps what completes it."""
        if not self._job.outputs:
            return True
        return await self._attempt("remove temporary output", self._discard_uncommitted) is True

    def _discard_uncommitted(self) -> bool:
        if self._committer.begun():
            log.error("the commit was begun but not finished; %s keeps its intent", self._job.staging)
            return False
        self._committer.discard()
        return True

    def _remove_staging(self) -> None:
        staging, fs = self._job.staging, self._services.storage.of(self._job.staging)
        retry_time = self._config.get("xlearning.fs.retry.time")
        keep_trying(lambda: fs.delete(staging, recursive=True), retry_time=retry_time)

    async def _attempt(self, what: str, call: Callable[[], Any], timeout: float | None = None) -> Any:
        try:
            return await self._pool.run(call, timeout=timeout)
        except Exception as error:  # whatever it is, the steps after it are still due
            known = isinstance(error, (XLearningError, OSError))
            log.error("could not %s: %s", what, error, exc_info=None if known else error)
            return None


def _diagnostics(reason: str, limit: int = 4000) -> str:
    """Short cause first; YARN keeps 4,096 bytes, which others may read."""
    reason = mask(reason)
    return reason if len(reason) <= limit else f"{reason[: limit - 4]} ..."
