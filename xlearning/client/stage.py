"""What an application needs before it starts, in a staging folder that only its owner may read."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from xlearning.client.planning.plan import Plan
from xlearning.client.planning.resources import Shipped
from xlearning.errors import ClusterError, UsageError
from xlearning.fs import FileSystems
from xlearning.fs.base import FileSystem, join
from xlearning.fs.owners import check_owner
from xlearning.job import JobSpec, LocalResource, to_dict

CREDENTIALS = "credentials"
JOB_FILE = "job.json"
# A larger file of this machine is used where it lies; small ones are copied, so that editing a
# script does not change a job that runs already.
_COPY_LIMIT = 16 * 2**20
_PRIVATE = 0o700


def stage(
    plan: Plan,
    fss: FileSystems,
    *,
    app_id: str,
    staging_root: str,
    now: float,
    pair: tuple[bytes, bytes] | None = None,
    copy_files: bool = True,
) -> JobSpec:
    """Write ``<staging_root>/<app_id>`` and return the job as staged; nothing stays after a failure.

    Parameters
    ----------
    staging_root : str
        URI of the folder of all applications; made when it is missing.
    now : float
        Time of submission, seconds since 1970.
    pair : (bytes, bytes), optional
        Certificate and key (PEM) of the application; fresh ones are made when it is missing.
    copy_files : bool
        Whether files of this machine are copied; False where the back end brings them to the nodes.
    """
    folder = join(staging_root, app_id)
    fs = fss.of(folder)
    _refuse_taken(fs, folder)
    try:
        fs.mkdirs(folder, mode=_PRIVATE)
        check_owner(fss, folder, plan.job.user, "the staging folder")  # made by others meanwhile
        fs.chmod(folder, _PRIVATE)
        written = [*_credentials(fs, folder, pair)]
        resources = plan.job.resources
        if copy_files:
            resources = tuple(_resource(item, fss, fs, folder) for item in plan.shipped)
        job = dataclasses.replace(plan.job, app_id=app_id, staging=folder, submitted=now, resources=resources)
        draft = join(folder, f".{JOB_FILE}.tmp")
        text = json.dumps(to_dict(job), indent=1).encode("ascii")
        _write_all(fs, {**dict(written), draft: text})
        fs.replace(draft, join(folder, JOB_FILE))
    except BaseException:
        with contextlib.suppress(OSError):  # why it failed matters more; a later submit sweeps
            fs.delete(folder, recursive=True)
        raise
    return job


def _refuse_taken(fs: FileSystem, folder: str) -> None:
    """Ids can be foreseen, and everybody may add to the folder of all: what lies in this one is not ours."""
    try:
        owner = fs.stat(folder).owner
    except FileNotFoundError:
        return
    raise ClusterError(
        f"{folder} is there already and belongs to {owner}: nothing is staged in it",
        hint="submit again; if that goes on, set xlearning.staging.dir to a folder that only you may write",
    )


@contextlib.contextmanager
def refused(root: str) -> Iterator[None]:
    """A context that says whose refusal it is when the staging folder cannot be written."""
    try:
        yield
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise ClusterError(
            f"the staging folder {root} cannot be written: {error}",
            hint="set xlearning.staging.dir to a folder that you may write",
        ) from error


def unstage(job: JobSpec, fss: FileSystems) -> None:
    """Delete the staging folder of a job that was never submitted."""
    fss.of(job.staging).delete(job.staging, recursive=True)


def _write_all(fs: FileSystem, contents: Mapping[str, bytes]) -> None:
    """Write private files side by side: HDFS takes half a second for each."""

    def write(uri: str, content: bytes) -> None:
        with fs.open_write(uri) as file:
            file.write(content)
        fs.chmod(uri, 0o600)

    with ThreadPoolExecutor(len(contents)) as pool:
        for done in [pool.submit(write, uri, content) for uri, content in contents.items()]:
            done.result()


def _credentials(
    fs: FileSystem, folder: str, pair: tuple[bytes, bytes] | None
) -> Iterator[tuple[str, bytes]]:
    """Files of the credential, in their folder, which is made."""
    from xlearning.cluster import credentials

    target = join(folder, CREDENTIALS)
    fs.mkdirs(target, mode=_PRIVATE)
    names = (credentials.CERTIFICATE_FILE, credentials.KEY_FILE)
    for name, content in zip(names, pair or _fresh_pair(), strict=True):
        yield join(target, name), content


def _fresh_pair() -> tuple[bytes, bytes]:
    from xlearning.cluster import credentials
    from xlearning.cluster.scratch import Scratch

    with Scratch() as made:
        credentials.create(made)
        return credentials.load(made)


def _resource(item: Shipped, fss: FileSystems, fs: FileSystem, folder: str) -> LocalResource:
    if not item.upload or item.status.is_dir or item.status.size > _COPY_LIMIT:
        return item.resource
    source = item.resource.uri
    target = join(folder, "files", item.resource.name)
    try:
        reader = fss.of(source).open_read(source)
    except (FileNotFoundError, PermissionError) as error:
        raise UsageError(f"{source} cannot be read any more: {error}") from error
    with reader, fs.open_write(target) as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
    fs.chmod(target, item.status.mode & 0o777)
    return dataclasses.replace(item.resource, uri=target)
