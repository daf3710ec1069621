"""Asks a running job for a save and tells how it fares."""

from __future__ import annotations

from xlearning.client.answers import JSON, answer_json, tell
from xlearning.client.codes import EXIT_CLIENT, EXIT_JOB, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.following.changes import save_line
from xlearning.client.session import AmConnection
from xlearning.client.verbs.applications import Found, find_application, refuse_ended
from xlearning.client.verbs.places import Places
from xlearning.client.verbs.reach import connect
from xlearning.client.verbs.records import SaveAnswer
from xlearning.errors import ClusterError, ClusterUnavailable
from xlearning.job import SaveState, SaveView, to_dict

_LONG_POLL = 10.0  # seconds


def run(places: Places, console: Console, *, app_id: str, no_wait: bool, output: str) -> int:
    """Save the output of an application as it is now; the exit code.

    Parameters
    ----------
    app_id : str
        See `find_application`.
    no_wait : bool
        Leave as soon as the save has begun.

    Raises
    ------
    xlearning.errors.XLearningError
        The save could not be asked for, or its end was not seen.
    """
    found = find_application(app_id, places)
    answer = SaveAnswer(found.app_id, save(found, console, wait=not no_wait))
    bad = answer.save.state in (SaveState.PARTIAL, SaveState.FAILED)
    if output == JSON:
        told = answer_json(to_dict(answer), console)
    else:
        told = bad or tell("\n".join(answer.save.paths), console)
    if not told:
        return EXIT_CLIENT
    return EXIT_JOB if bad else EXIT_OK


def save(found: Found, console: Console, *, wait: bool) -> SaveView:
    """Save the output of an application as it is now: the save as it ended, or began.

    Raises
    ------
    xlearning.errors.XLearningError
        The save could not be asked for, or its end was not seen.
    """
    refuse_ended(found, "there is nothing to save")
    connection = connect(found)
    try:
        answer = connection.save(found.place.user)
        if not answer.accepted:
            raise ClusterError(f"{found.app_id} was not saved: {answer.message}")
        console.info(f"{found.app_id}: {answer.message}")
        return _follow(connection, answer.save_id, console, wait=wait)
    finally:
        connection.close()


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
