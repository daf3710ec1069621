"""How a job stands, from whoever knows best: its ApplicationMaster, its history, YARN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.places import YarnPlace
from xlearning.client.verbs.reach import connect
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.yarn_details import YarnContainer, containers
from xlearning.errors import ClusterError, XLearningError
from xlearning.history.store import HistoryReader
from xlearning.job import Snapshot

MASTER, HISTORY, BACK_END = "ApplicationMaster", "history", "back end"


@dataclass(frozen=True)
class Standing:
    """What could be found out.

    Attributes
    ----------
    where : str
        The place's title.
    source : str
        Who told the details: the ApplicationMaster, the history, or the back end alone.
    snapshot : Snapshot or None
        None where only the back end could be asked.
    yarn : sequence of YarnContainer
        Its containers as YARN knows them, where there is no snapshot.
    notes : tuple of str
        What cannot be told, and why.
    """

    report: ApplicationReport
    where: str
    source: str
    snapshot: Snapshot | None
    yarn: Sequence[YarnContainer] = ()
    notes: tuple[str, ...] = ()


def standing(found: Found) -> Standing:
    """How an application stands; never fails, see `Standing.notes`."""
    notes = [found.place.trouble] if found.place.trouble else []
    snapshot, source = None, MASTER
    if not found.report.state.final:
        snapshot = _asked(found, notes)
    if snapshot is None:
        snapshot, source = _recorded(found, notes), HISTORY
        if snapshot is not None and not snapshot.state.final:
            stale = "did not see the end" if found.report.state.final else "does not answer now"
            notes.append(f"details are those that the ApplicationMaster recorded last; it {stale}")
    if snapshot is None:
        source = BACK_END
    known = yarn_containers(found, notes) if snapshot is None and not found.report.state.final else ()
    return Standing(found.report, found.place.title, source, snapshot, known, tuple(notes))


def yarn_containers(found: Found, notes: list[str]) -> Sequence[YarnContainer]:
    """Its containers as YARN knows them; a note more where they cannot be had."""
    if not isinstance(found.place, YarnPlace):
        return ()
    try:
        return containers(found.place.web, found.app_id)
    except FileNotFoundError:
        return ()
    except ClusterError as error:
        notes.append(f"YARN does not tell the containers: {error.message}")
        return ()


def _asked(found: Found, notes: list[str]) -> Snapshot | None:
    try:
        connection = connect(found)
        try:
            return connection.status()
        finally:
            connection.close()
    except ClusterError as error:
        notes.append(error.message)
        return None


def _recorded(found: Found, notes: list[str]) -> Snapshot | None:
    folder = found.place.history(found.app_id)
    try:
        return HistoryReader(found.place.fss).snapshot(folder)
    except FileNotFoundError:
        if found.report.state.final:
            notes.append(f"there is no history in {folder}")
    except PermissionError:
        notes.append(f"its history in {folder} is private to {found.report.user}")
    except (XLearningError, OSError) as error:
        notes.append(f"its history in {folder} cannot be read: {error}")
    return None
