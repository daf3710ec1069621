"""What an application needs before it starts, in a staging folder that only its owner may read."""

from __future__ import annotations

import dataclasses
import json
import shutil
import tempfile
from pathlib import Path

from xlearning.client.plan import Plan
from xlearning.client.resources import Shipped
from xlearning.fs import FileSystems
from xlearning.fs.base import FileSystem, join
from xlearning.job import JobSpec, LocalResource, to_dict

CREDENTIALS = "credentials"
JOB_FILE = "job.json"
# A larger file of this machine is used where it lies; small ones are copied, so that editing a
# script does not change a job that runs already.
_COPY_LIMIT = 16 * 2**20
_PRIVATE = 0o700


def stage(plan: Plan, fss: FileSystems, *, app_id: str, staging_root: str, now: float) -> JobSpec:
    """Write ``<staging_root>/<app_id>`` and return the job as staged; nothing stays after a failure.

    Parameters
    ----------
    staging_root : str
        URI of the folder of all applications; made when it is missing.
    now : float
        Time of submission, seconds since 1970.
    """
    folder = join(staging_root, app_id)
    fs = fss.of(folder)
    fs.mkdirs(folder, mode=_PRIVATE)
    try:
        fs.chmod(folder, _PRIVATE)
        _credentials(fs, folder)
        resources = tuple(_resource(item, fss, fs, folder) for item in plan.shipped)
        job = dataclasses.replace(plan.job, app_id=app_id, staging=folder, submitted=now, resources=resources)
        with fs.open_write(join(folder, JOB_FILE)) as file:
            file.write(json.dumps(to_dict(job), indent=1).encode("ascii"))
    except BaseException:
        fs.delete(folder, recursive=True)
        raise
    return job


def unstage(job: JobSpec, fss: FileSystems) -> None:
    """Delete the staging folder of a job that was never submitted."""
    fss.of(job.staging).delete(job.staging, recursive=True)


def _credentials(fs: FileSystem, folder: str) -> None:
    from xlearning.cluster import credentials

    target = join(folder, CREDENTIALS)
    fs.mkdirs(target, mode=_PRIVATE)
    with tempfile.TemporaryDirectory(prefix="xlearning-") as made:
        credentials.create(Path(made))
        for path in sorted(Path(made).iterdir()):
            uri = join(target, path.name)
            with fs.open_write(uri) as file:
                file.write(path.read_bytes())
            fs.chmod(uri, 0o600)


def _resource(item: Shipped, fss: FileSystems, fs: FileSystem, folder: str) -> LocalResource:
    if not item.upload or item.status.size > _COPY_LIMIT:
        return item.resource
    source = item.resource.uri
    target = join(folder, "files", item.resource.name)
    with fss.of(source).open_read(source) as reader, fs.open_write(target) as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
    fs.chmod(target, item.status.mode & 0o777)
    return dataclasses.replace(item.resource, uri=target)
