"""All that a job on YARN needs there before it is submitted: our package, and large files of the user's."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning.client.console import Console
from xlearning.client.packaging.delivery import deliver
from xlearning.client.planning.resources import Shipped
from xlearning.client.uploading.cache import Cache
from xlearning.client.uploading.cache_sweep import sweep
from xlearning.client.uploading.hashes import Hashes
from xlearning.client.uploading.here import cache_root
from xlearning.client.uploading.many_files import gather
from xlearning.client.uploading.users_files import upload
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.yarn_script import NodePackage
from xlearning.config import Config
from xlearning.errors import ClusterError, XLearningError
from xlearning.fs import FileSystems
from xlearning.job import LocalResource
from xlearning.units import format_bytes

ListApplications = Callable[[], Sequence[ApplicationReport]]


@dataclass(frozen=True)
class Brought:
    """Our package, and the resources of the job as YARN is to get them."""

    package: NodePackage
    resources: tuple[LocalResource, ...]


def bring(
    shipped: Sequence[Shipped],
    work: Path,
    config: Config,
    fss: FileSystems,
    root: str,
    user: str,
    console: Console,
    applications: ListApplications,
    libraries: Sequence[str] = (),
) -> Brought:
    """Upload what the cluster does not have yet, say what was done, and keep the cache within bounds.

    Parameters
    ----------
    work : Path
        Folder for files that are needed until the application is submitted.
    root : str
        URI of the folder of all staging folders.
    applications : callable
        The user's applications; what they may use stays in the cache.
    libraries : sequence of str
        Optional packages that the job needs on the nodes.
    """
    now = time.time()
    cache = Cache(fss, root, user, now, retry_time=config.get("xlearning.fs.retry.time"))
    package = deliver(config, fss, cache, console, libraries)
    hashes = Hashes(cache_root(os.environ), now)
    smallest = config.get("xlearning.cache.min.size")
    gathered = gather(shipped, fss, work, smallest=smallest)
    resources = upload(gathered, cache, hashes, console, smallest=smallest)
    if cache.changed:
        _tidy(cache, config, applications, console)
    return Brought(package, resources)


def _tidy(cache: Cache, config: Config, applications: ListApplications, console: Console) -> None:
    """The job does not depend on it."""
    most = config.get("xlearning.cache.max.size")
    try:
        swept = sweep(cache, applications(), max_age=config.get("xlearning.cache.max.age"), max_size=most)
    except ClusterError:
        return  # who cannot learn what runs removes nothing
    except (XLearningError, OSError) as error:
        console.warn(f"old files in {cache.folder} cannot be removed: {error}")
        return
    if swept.removed:
        what = "file" if swept.removed == 1 else "files"
        console.info(f"Removed {swept.removed} {what} that were not used for long from {cache.folder}")
    if swept.left > most:
        console.warn(
            f"{cache.folder} holds {format_bytes(swept.left)}, more than xlearning.cache.max.size="
            f"{format_bytes(most)}: applications that run may be using it"
        )
