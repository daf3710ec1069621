"""Asks a running job for a save and tells how it fares."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from xlearning.client.applications import find_application
from xlearning.client.backend import LOCAL_FS
from xlearning.client.changes import save_line
from xlearning.client.console import Console
from xlearning.client.problems import refuse
from xlearning.client.scan import Scan
from xlearning.client.session import AmConnection, find_am
from xlearning.client.submit import (
    EXIT_CLIENT,
    EXIT_JOB,
    EXIT_OK,
    read_config,
    tell,
    user_name,
)
from xlearning.cluster.local import LocalCluster
from xlearning.config import Config
from xlearning.errors import ClusterError, ClusterUnavailable
from xlearning.fs import FileSystems
from xlearning.job import SaveState, SaveView

_LONG_POLL = 10.0  # seconds


def run(
    app_id: str, console: Console, *, no_wait: bool, conf: Sequence[str], conf_file: Sequence[str]
) -> int:
    """Save the output of an application as it is now; the exit code.

    Parameters
    ----------
    app_id : str
        See `find_application`.
    no_wait : bool
        Leave as soon as the save has begun.
    conf, conf_file : sequence of str
        Properties, as for a submission.

    Raises
    ------
    xlearning.errors.XLearningError
        The save could not be asked for, or its end was not seen.
    """
    config = _config(conf, conf_file)
    cluster = LocalCluster(Path(config.get("xlearning.local.dir")))
    report = find_application(app_id, cluster)
    if report.state.final:
        raise ClusterError(f"{report.app_id} has ended ({report.state.value}): there is nothing to save")
    fss = FileSystems(LOCAL_FS, timeout=config.get("xlearning.fs.timeout"))
    connection = _connect(report.app_id, cluster, fss)
    try:
        answer = connection.save(user_name(os.environ))
        if not answer.accepted:
            raise ClusterError(f"{report.app_id} was not saved: {answer.message}")
        console.info(f"{report.app_id}: {answer.message}")
        result = _follow(connection, answer.save_id, console, wait=not no_wait)
    finally:
        connection.close()
    if result.state in (SaveState.PARTIAL, SaveState.FAILED):
        return EXIT_JOB
    return EXIT_OK if tell("\n".join(result.paths), console) else EXIT_CLIENT


def _config(conf: Sequence[str], conf_file: Sequence[str]) -> Config:
    line = Scan(values={"conf": list(conf), "conf-file": list(conf_file)})
    config = read_config(line, line.problems)
    refuse(line.problems)
    return config or Config.from_properties({})


def _connect(app_id: str, cluster: LocalCluster, fss: FileSystems) -> AmConnection:
    try:
        staging = cluster.staging(app_id)
        target = find_am(fss, staging)
        if target is not None:
            return AmConnection.open(fss, staging, target)
    except FileNotFoundError as error:
        raise ClusterError(f"{app_id} is ending: there is nothing to save") from error
    raise ClusterError(f"the ApplicationMaster of {app_id} cannot be reached yet", hint="try again")


def _follow(connection: AmConnection, save_id: str, console: Console, *, wait: bool) -> SaveView:
    """The save as it ended; without ``wait`` as soon as it is seen. One line for each change."""
    version, shown = 0, ""
    while True:
        try:
            snapshot = connection.status(version, _LONG_POLL)
        except ClusterUnavailable as error:
            raise ClusterError(f"how save {save_id} ended is not known: {error.message}") from error
        version = snapshot.version
        found = next((save for save in snapshot.saves if save.id == save_id), None)
        if found is not None and (line := save_line(found)) != shown:
            shown = line
            console.info(line)
        if found is not None and (found.state.final or not wait):
            return found
        if snapshot.state.final:
            raise ClusterError(f"the job has ended ({snapshot.state.value}) before save {save_id} began")
