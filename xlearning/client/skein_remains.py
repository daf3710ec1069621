"""skein's own folder of an application, ``.skein/<id>`` in the user's home of the default file system.

skein's ApplicationMaster deletes it at its end. One that never started, or that YARN killed before it
could, leaves it: with the user's files in it, and for good.
"""

from __future__ import annotations

from xlearning.client.console import Console
from xlearning.cluster.base import ClusterClient
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import exists, join

_FOLDER = ".skein"


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


def sweep(fss: FileSystems, cluster: ClusterClient, console: Console) -> None:
    """Delete the folders of the user's applications that have ended; other programs use skein too."""
    root = fss.resolve(_FOLDER)
    try:
        if not exists(fss.default, root):
            return
        there = {child.name for child in fss.default.list(root) if child.is_dir}
        if not any(name.startswith("application_") for name in there):
            return
        ended = [report.app_id for report in cluster.list() if report.state.final]
    except (XLearningError, OSError) as error:
        console.warn(f"{root} cannot be looked through for remains of earlier jobs: {error}")
        return
    for app_id in ended:
        if app_id in there:
            remove(app_id, fss, console)
