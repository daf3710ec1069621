"""How a job stands, from whoever knows best: its ApplicationMaster, its history, YARN."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.places import LocalPlace, YarnPlace
from xlearning.client.verbs.reach import connect
from xlearning.cluster.base import ApplicationReport, KnownContainer
from xlearning.errors import ApplicationNotFound, ClusterError, XLearningError
from xlearning.fs.owners import NotBelieved
from xlearning.history.reader import HistoryReader
from xlearning.job import AppState, ContainerState, ContainerView, Snapshot

MASTER, HISTORY, BACK_END = "am", "history", "backend"


@dataclass(frozen=True)
class Standing:
    """What could be found out.

    Attributes
    ----------
    where : str
        The place's title.
    source : str
        Who told the details: `MASTER`, `HISTORY`, or `BACK_END` where nobody did.
    snapshot : Snapshot or None
        None where only the back end could be asked.
    backend : str
        ``local`` or ``yarn``.
    yarn : sequence of KnownContainer
        Its containers as the back end knows them, where there is no snapshot.
    notes : tuple of str
        What cannot be told, and why.
    saw_end : bool
        Whether who told the details saw how the job ended.
    """

    report: ApplicationReport
    where: str
    source: str
    snapshot: Snapshot | None
    backend: str = "local"
    yarn: Sequence[KnownContainer] = ()
    notes: tuple[str, ...] = ()
    saw_end: bool = False

    @property
    def reason(self) -> str:
        """Why it ended, in the words of the back end or else of the ApplicationMaster."""
        recorded = self.snapshot.reason if self.snapshot else ""
        return self.report.diagnostics.strip() or recorded.strip()


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
        saw_end = False
    else:
        notes += snapshot.notes
        saw_end = snapshot.state.final
        if found.report.state.final:
            snapshot = closed(snapshot, found.report)
    known = known_containers(found, notes, thorough=True) if snapshot is None else ()
    place = found.place
    return Standing(found.report, place.title, source, snapshot, place.name, known, tuple(notes), saw_end)


def state_of(standing: Standing) -> AppState:
    """The state that is true now: YARN learns the end last and the beginning late."""
    if standing.source == MASTER and standing.snapshot and not standing.report.state.final:
        return standing.snapshot.state
    return standing.report.state


def closed(snapshot: Snapshot, report: ApplicationReport) -> Snapshot:
    """What an ApplicationMaster that did not see the end would have said of it.

    Nothing of a job that has ended runs any more, whatever was recorded last.
    """
    if snapshot.state.final:
        return snapshot
    return dataclasses.replace(
        snapshot,
        state=report.state,
        phase=report.state.value,
        reason=snapshot.reason or report.diagnostics,
        finished=report.finished,
        containers=tuple(_closed(one, report.state) for one in snapshot.containers),
    )


def _closed(container: ContainerView, state: AppState) -> ContainerView:
    if container.state.final:
        return container
    ended, why = ContainerState.LOST, "it ended with the job; how is not known"
    if state is AppState.KILLED:
        ended, why = ContainerState.STOPPED, "killed with the job"
    last = f"{why}; last seen {container.state.value}"
    return dataclasses.replace(
        container, state=ended, reason=last, cpu_percent=None, memory_bytes=None, gpus=()
    )


def known_containers(found: Found, notes: list[str], *, thorough: bool = False) -> Sequence[KnownContainer]:
    """Its containers as the back end knows them; a note more where they cannot be had.

    Parameters
    ----------
    thorough : bool
        Whether to look through the logs of a job that has ended on YARN, which takes a JVM: YARN itself
        then knows the ApplicationMasters alone.
    """
    if isinstance(found.place, LocalPlace):
        try:
            return found.place.containers(found.app_id)
        except ApplicationNotFound:  # deleted since it was found
            return ()
    if not isinstance(found.place, YarnPlace):
        return ()
    # what asks YARN takes a while to load, and is seldom needed
    from xlearning.cluster.log_listing import logged
    from xlearning.cluster.yarn_details import containers

    try:
        known = {one.id: one for one in containers(found.place.web, found.app_id)}
        if thorough and found.report.state.final:
            known |= {one.id: known.get(one.id, one) for one in logged(found.app_id, found.report.user)}
    except FileNotFoundError:
        return ()
    except ClusterError as error:
        notes.append(f"YARN does not tell the containers: {error.message}")
        return ()
    return [known[name] for name in sorted(known)]


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
        return HistoryReader(found.place.fss).believed(folder, found.app_id, found.report.user)
    except NotBelieved as error:
        notes.append(error.message)
    except FileNotFoundError:
        if found.report.state.final:
            notes.append(f"there is no history in {folder}")
    except PermissionError:
        notes.append(f"its history in {folder} is private to {found.report.user}")
    except (XLearningError, OSError) as error:
        notes.append(f"its history in {folder} cannot be read: {error}")
    return None
