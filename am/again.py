"""An attempt that YARN started after the job had ended for good: it says so once more, and tidies up."""

from __future__ import annotations

import logging

from xlearning.cluster import ended
from xlearning.cluster.base import ContainerManager
from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.commit import Committer
from xlearning.job import AppState, JobSpec

log = logging.getLogger(__name__)

_PATIENCE = 10.0  # seconds; what cannot be tidied up now is left to the next xl-submit


def say_again(
    said: ended.Ended, job: JobSpec, config: Config, storage: FileSystems, manager: ContainerManager
) -> AppState:
    """Tell the back end the end that an earlier attempt decided; its state.

    Blocks. A commit that was begun is completed, which makes the end a success.
    """
    log.info("attempt %d had ended for good: %s, %s", said.attempt, said.state.value, said.reason)
    state, reason = said.state, said.reason
    committer = Committer(storage, job.app_id, job.staging, job.outputs, retry_time=_PATIENCE)
    try:
        if committer.settle():
            state, reason = AppState.SUCCEEDED, f"the commit of attempt {said.attempt} was completed"
        tidy = True
    except (XLearningError, OSError) as error:
        log.error("the outputs cannot be put in order: %s", error)
        tidy = False
    followed = manager.finish(state, reason, retry=False)
    if tidy and not followed and config.get("xlearning.cleanup.enable"):
        try:
            storage.of(job.staging).delete(job.staging, recursive=True)
        except (XLearningError, OSError) as error:
            log.error("the staging folder cannot be removed: %s", error)
    manager.close()
    return state
