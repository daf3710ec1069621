"""What this machine would refuse to a job with ``--local``."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.client.planning.resources import Shipped
from xlearning.client.preflight import command, devices, folders, shipped
from xlearning.client.problems import Problem
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.job import JobSpec

HOME = "xlearning.local.dir"


def check(
    config: Config,
    fss: FileSystems,
    user: str,
    staging: str,
    job: JobSpec,
    items: Sequence[Shipped],
    notes: list[str],
) -> list[Problem]:
    """Files, archives, and the folders that the job will write to.

    Parameters
    ----------
    staging : str
        URI of the folder of all staging folders.
    """
    found = [*shipped.check(items, on_yarn=False), *devices.check(job, config, notes)]
    folders.check_folder(HOME, fss.resolve(config.get(HOME)), fss, user, found)
    command.tell(job, config, notes)
    if config.is_set(folders.STAGING):
        folders.check_folder(folders.STAGING, staging, fss, user, found)
    outputs, home = [output.remote for output in job.outputs], fss.resolve(config.get(HOME))
    folders.check_outputs(outputs, fss, user, found)
    folders.check_not_ours(outputs, (staging, join(home, "staging"), join(home, "apps")), found)
    folders.check_history(fss.resolve(config.get(folders.HISTORY)), fss, user, notes)
    return found
