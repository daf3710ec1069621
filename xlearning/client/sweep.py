"""Putting in order what applications left behind that could not do it themselves.

An ApplicationMaster that was killed leaves its staging folder and ``_temporary``. The client that
follows the application settles that at its end; what nobody followed, the next submit settles.
"""

from __future__ import annotations

import dataclasses
import re
import socket
import time

from xlearning import jsonfile
from xlearning.client.console import Console
from xlearning.client.session import find_am, withdraw
from xlearning.client.stage import JOB_FILE
from xlearning.cluster.base import ClusterClient
from xlearning.errors import ApplicationNotFound, XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus, exists, join, split_uri
from xlearning.fs.commit import Committer
from xlearning.fs.owners import belongs, check_owner
from xlearning.fs.steps import marked_by
from xlearning.job import JobSpec

APP_ID = re.compile(r"application_\d+_\d+", re.ASCII)
# Seconds for which containers write on after YARN has told the end of a job that was ended by force: their
# node hears of it after one, and grants them a quarter of one.
LATE = 3.0
_CONNECT = 2.0  # seconds
_RETRY_TIME = 10.0  # seconds; whatever cannot be settled now is settled by a later submit


def settle(job: JobSpec, fss: FileSystems, *, late: float = 0.0) -> bool:
    """Settle the outputs of an application that has ended, and remove its staging folder.

    Parameters
    ----------
    late : float
        Seconds for which containers of it may still write to the outputs; what they write goes too.

    Returns
    -------
    bool
        Whether a commit that the application had begun was completed here.

    Raises
    ------
    NotBelieved
        The folder is not that of the job's user: nothing is touched.
    """
    staging = fss.of(job.staging)
    if not exists(staging, job.staging):
        return False
    check_owner(fss, job.staging, job.user, "what is staged")
    committer = Committer(fss, job.app_id, job.staging, job.outputs, retry_time=_RETRY_TIME)
    completed = committer.settle()
    if late and job.outputs and not completed:
        withdraw(fss, job.staging)
        time.sleep(late)
        committer.discard()
    staging.delete(job.staging, recursive=True)
    return completed


def was_committed(job: JobSpec, fss: FileSystems) -> bool:
    """Whether all outputs of an application are whole, whatever its end is said to have been."""
    try:
        remotes = {output.remote for output in job.outputs}
        return bool(remotes) and all(marked_by(fss.of(remote), remote, job.app_id) for remote in remotes)
    except (XLearningError, OSError):
        return False


def settle_quietly(job: JobSpec, fss: FileSystems, console: Console, *, late: float = 0.0) -> bool:
    """`settle`, with a line where something was done or could not be done."""
    try:
        completed = settle(job, fss, late=late)
        if completed:
            console.warn(f"{job.app_id} had begun to commit its output; the commit was completed")
        return completed
    except (XLearningError, OSError) as error:
        console.warn(
            f"what {job.app_id} left in {job.staging} could not be put in order: {error}; "
            "nothing is lost: once the reason is gone, the next xl-submit does it"
        )
        return False


def sweep_dead(root: str, user: str, fss: FileSystems, cluster: ClusterClient, console: Console) -> None:
    """Settle the user's applications that have ended and still have a staging folder below ``root``."""
    try:
        if not exists(fss.of(root), root):
            return
        folders = [child for child in fss.of(root).list(root) if child.is_dir]
    except (XLearningError, OSError) as error:
        console.warn(f"{root} cannot be looked through for remains of earlier jobs: {error}")
        return
    for folder in folders:
        if not APP_ID.fullmatch(folder.name):
            continue
        if not belongs(folder, user):  # whatever it says: what is done here is done in the user's name
            continue
        if not _is_dead(folder, fss, cluster, user):  # the cluster is asked about own jobs only
            continue
        job = staged_job(folder.path, fss, user)
        if job is not None:
            settle_quietly(job, fss, console)
        else:
            _remove_unfinished(folder.path, fss, console)


def _remove_unfinished(staging: str, fss: FileSystems, console: Console) -> None:
    """A folder whose client was killed while it staged, so that no ApplicationMaster has ever used it."""
    fs = fss.of(staging)
    try:
        if not exists(fs, join(staging, JOB_FILE)):
            fs.delete(staging, recursive=True)
    except (XLearningError, OSError) as error:
        console.warn(f"{staging} of an ended job cannot be removed: {error}")


def _is_dead(folder: FileStatus, fss: FileSystems, cluster: ClusterClient, user: str) -> bool:
    """Whether an application has ended.

    One that the cluster does not know may be of another cluster with the same staging folder, or was
    forgotten: by a ResourceManager that was restarted, or after many others. It is dead when nobody
    listens any more where its ApplicationMaster said.
    """
    try:
        return cluster.report(folder.name).state.final
    except ApplicationNotFound:
        return _nobody_listens(folder.path, fss, user)


def _nobody_listens(staging: str, fss: FileSystems, user: str) -> bool:
    try:
        target = find_am(fss, staging, user)
    except (XLearningError, OSError):
        return False
    if target is None:
        return False
    host, _, port = target.address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT).close()
    except ConnectionRefusedError:  # the host is there, and would let us through
        return True
    except (OSError, ValueError):
        return False
    return False


def staged_job(staging: str, fss: FileSystems, owner: str) -> JobSpec | None:
    """The job of a staging folder; None where none can be read, for then it is not ours to touch.

    A folder that is not its ``owner``'s has none, nor has one with a job of another folder, or one that
    somebody else has put there.
    """
    path = join(staging, JOB_FILE)
    try:
        check_owner(fss, staging, owner, "what is staged")
        check_owner(fss, path, owner, "the job")
        job = jsonfile.read_record(fss.of(path), path, JobSpec)
    except (OSError, ValueError):
        return None
    place, said = (split_uri(join(uri))[2] for uri in (staging, job.staging))
    if said != place or job.app_id != place.rpartition("/")[2]:
        return None
    return dataclasses.replace(job, user=owner, staging=staging)
