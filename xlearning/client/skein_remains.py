"""skein's own folder of an application, ``.skein/<id>`` in the user's home of the default file system.

skein's ApplicationMaster deletes it at its end. One that never started, or that YARN killed before it
could, leaves it: with the user's files in it, and for good.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from xlearning.client.console import Console
from xlearning.cluster.base import ClusterClient
from xlearning.errors import ApplicationNotFound, XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import exists, join

_FOLDER = ".skein"
_UPLOADED = 3600.0  # seconds; who uploads for longer without a change in its folder is dead


def remove(app_id: str, fss: FileSystems, console: Console) -> None:
    """Delete the folder of an application that has ended; nothing where there is none."""
    folder = fss.resolve(join(_FOLDER, app_id))
    try:
        if exists(fss.default, folder):
            fss.default.delete(folder, recursive=True)
    except FileNotFoundError:  # skein was faster
        return
    except (XLearningError, OSError) as error:
        console.warn(f"{folder} cannot be removed: {error}; a later xl-submit does it")


def sweep(fss: FileSystems, cluster: ClusterClient, console: Console, began: Callable[[], int]) -> None:
    """Delete the folders of the user's applications that have ended; other programs use skein too.

    A client that dies while it uploads leaves the folder of an application that YARN never heard of. It is
    told from one of another cluster by the start of the ResourceManager in its id.

    Parameters
    ----------
    began : callable
        Start of the ResourceManager, in milliseconds.
    """
    root = fss.resolve(_FOLDER)
    try:
        if not exists(fss.default, root):
            return
        there = {child.name: child.modified for child in fss.default.list(root) if child.is_dir}
        if not any(name.startswith("application_") for name in there):
            return
        reports = {report.app_id: report.state for report in cluster.list()}
        ended = [app_id for app_id, state in reports.items() if state.final]
        ended += _unheard_of({name: at for name, at in there.items() if name not in reports}, cluster, began)
    except (XLearningError, OSError) as error:
        console.warn(f"{root} cannot be looked through for remains of earlier jobs: {error}")
        return
    for app_id in ended:
        if app_id in there:
            remove(app_id, fss, console)


def _unheard_of(
    folders: Mapping[str, float], cluster: ClusterClient, began: Callable[[], int]
) -> Iterator[str]:
    """Applications of this ResourceManager that it does not know."""
    old = [name for name, modified in folders.items() if time.time() - modified > _UPLOADED]
    if not old:
        return
    prefix = f"application_{began()}_"
    for name in old:
        if name.startswith(prefix):
            try:
                cluster.report(name)
            except ApplicationNotFound:
                yield name
