"""Ends a job: by its ApplicationMaster, which ends it in good order, or else by force."""

from __future__ import annotations

import dataclasses
import time

from xlearning.client.answers import JSON, answer_json, tell
from xlearning.client.codes import EXIT_CLIENT, EXIT_JOB, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.sweep import LATE, settle_quietly, staged_job, was_committed
from xlearning.client.verbs.applications import Found, find_application
from xlearning.client.verbs.places import Places
from xlearning.client.verbs.reach import connect
from xlearning.client.verbs.records import KillAnswer
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.exit_words import killed_by
from xlearning.errors import ApplicationNotFound, ClusterError, ClusterUnavailable, XLearningError
from xlearning.fs.base import exists
from xlearning.job import AppState, JobSpec, to_dict

_PATIENCE = 30.0  # seconds that the ApplicationMaster gets to end the job by itself
_ENDING = 10.0  # seconds from the removal of the staging folder to the end
_FORCED = 60.0  # seconds that a back end gets to end it by force
_FIRST_PAUSE, _PAUSE = 0.05, 1.0  # seconds between two questions whether it has ended


def run(places: Places, console: Console, *, app_id: str, reason: str, no_wait: bool, output: str) -> int:
    """End an application; the exit code.

    Parameters
    ----------
    app_id : str
        See `find_application`.
    reason : str
        Told to whoever follows the job, and kept with it.
    no_wait : bool
        Leave as soon as the job was told.

    Raises
    ------
    xlearning.errors.XLearningError
        It could not be ended.
    """
    found = find_application(app_id, places)
    if found.report.state.final:
        console.info(f"{found.app_id} has ended already: there is nothing to kill")
        answer = _answer(found.report, killed=False)
    else:
        answer = _killed(found, console, reason=reason, wait=not no_wait)
    if not _tell(answer, console, output):
        return EXIT_CLIENT
    return EXIT_OK if answer.killed or answer.state.final else EXIT_JOB


def _killed(found: Found, console: Console, *, reason: str, wait: bool) -> KillAnswer:
    try:
        report = end(found, console, reason=reason, wait=wait)
    except NotKilled as error:
        console.error(str(error))
        return dataclasses.replace(_answer(found.report, killed=False), reason=error.message)
    return _answer(report or found.report, killed=True)


class NotKilled(ClusterError):
    """The application refuses, because it is committing its output; it ends by itself."""


def end(found: Found, console: Console, *, reason: str, wait: bool) -> ApplicationReport | None:
    """End an application; its last report, or None where nobody waits.

    Raises
    ------
    NotKilled
        It refuses.
    xlearning.errors.XLearningError
        It could not be ended.
    """
    if found.report.state.final:
        return found.report
    staging = _staging(found)
    job = staged_job(staging, found.place.fss, found.report.user) if staging else None
    forced = False
    try:
        refusal = _ask(found, reason)
    except ClusterUnavailable as error:
        report = _leaves_by_itself(found)
        if report is None:
            forced = True
            console.info(f"{error.message}; killing it by force")
            report = _by_force(found, console, reason, wait=wait)
    else:
        if refusal:
            raise NotKilled(f"{found.app_id} was not killed: {refusal}")
        console.info(f"{found.app_id} is being stopped")
        report = _await_end(found, _PATIENCE) if wait else None
        if report is None and wait:
            console.warn(f"{found.app_id} has not ended after {_PATIENCE:g} s: killing it by force")
            forced = True
            report = _by_force(found, console, reason, wait=True)
    late = LATE if forced and found.place.name == "yarn" else 0.0
    return None if report is None else _settled(found, report, job, console, late)


def _ask(found: Found, reason: str) -> str:
    """Ask the ApplicationMaster; why it refuses, or nothing when it does not."""
    connection = connect(found)
    try:
        return connection.kill(found.place.user, reason)
    finally:
        connection.close()


def _leaves_by_itself(found: Found) -> ApplicationReport | None:
    """The last report of an application that had removed its staging folder and was only still ending."""
    staging = _staging(found)
    try:
        if not staging or exists(found.place.fss.of(staging), staging):
            return None
    except (XLearningError, OSError):
        return None
    return _await_end(found, _ENDING)


def _by_force(found: Found, console: Console, reason: str, *, wait: bool) -> ApplicationReport | None:
    """Let the back end end it. A refusal, as for a job of somebody else, is an error."""
    found.place.cluster.kill(found.app_id, killed_by(found.place.user, reason))
    if not wait:
        console.info(f"{found.app_id} is being killed; what it leaves behind, the next xl-submit removes")
        return None
    report = _await_end(found, _FORCED)
    if report is None:
        raise ClusterUnavailable(
            f"{found.app_id} was killed on {found.place.title}, and has not ended within {_FORCED:g} s",
            hint="xl-submit status shows how it stands",
        )
    return report


def _await_end(found: Found, patience: float) -> ApplicationReport | None:
    """The last report; None when the application has not ended within ``patience`` seconds."""
    deadline, pause = time.monotonic() + patience, _FIRST_PAUSE
    while True:
        try:
            report = found.place.report(found.app_id)
        except ApplicationNotFound:
            raise
        except ClusterUnavailable:
            report = found.report  # it may come back
        if report.state.final:
            return report
        if time.monotonic() >= deadline:
            return None
        time.sleep(pause)
        pause = min(pause * 1.5, _PAUSE)


def _settled(
    found: Found, report: ApplicationReport, job: JobSpec | None, console: Console, late: float
) -> ApplicationReport:
    """Tidy up what the ApplicationMaster did not, if it is the user's own; how it has ended then."""
    if job is None or job.user != found.place.user:
        return report
    whole = settle_quietly(job, found.place.fss, console, late=late) or was_committed(job, found.place.fss)
    found.place.tidy(found.app_id, console)
    return dataclasses.replace(report, state=AppState.SUCCEEDED) if whole else report


def _staging(found: Found) -> str:
    try:
        return found.place.staging(found.app_id)
    except (ClusterError, OSError):
        return ""


def _answer(report: ApplicationReport, *, killed: bool) -> KillAnswer:
    return KillAnswer(report.app_id, report.state, report.diagnostics.strip(), killed)


def _tell(answer: KillAnswer, console: Console, output: str) -> bool:
    """Whether standard output took it; of a job that goes on, people are told by messages alone."""
    if output == JSON:
        return answer_json(to_dict(answer), console)
    if not answer.state.final:
        return True
    told = tell(f"{answer.app_id} {answer.state.value}", console)
    if answer.reason:
        console.info(answer.reason.splitlines()[0])
    return told
