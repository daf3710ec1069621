"""Which application a person means, and where it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xlearning.client.verbs.places import Place, Places
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import (
    ApplicationNotFound,
    ClusterError,
    ClusterUnavailable,
    ConfigError,
    UsageError,
)

LAST = "last"
_LAST_WORDS = (LAST, "-")
OF_DOCTOR = "xl-submit doctor"  # name of the job that looks around; nobody means it by last
_FULL = re.compile(r"application_\d+_\d+")
_SHOWN = 5


@dataclass(frozen=True)
class Found:
    """An application and the place that knows it."""

    report: ApplicationReport
    place: Place

    @property
    def app_id(self) -> str:
        """Its id."""
        return self.report.app_id


def find_application(text: str, places: Places) -> Found:
    """The application of a full id, of the end of an id, or of ``last`` (``-``).

    An id that this machine knows is one of this machine; any other one is looked for on YARN. An end of
    an id, and ``last`` or ``-``, mean the user's own jobs in both places.

    Raises
    ------
    xlearning.errors.ApplicationNotFound
        There is none with this id.
    UsageError
        No application, or more than one, has this end.
    xlearning.errors.ClusterUnavailable
        YARN does not answer, so it cannot be told which one is meant.
    """
    return _with_id(text, places) if _FULL.fullmatch(text) else _with_end(text, places)


def find_in(text: str, place: Place) -> Found:
    """The same in one place.

    Raises
    ------
    xlearning.errors.ApplicationNotFound
        There is none with this id.
    UsageError
        No application, or more than one, has this end.
    """
    if _FULL.fullmatch(text):
        return Found(place.report(text), place)
    return _meant(text, _newest_first([place]), [place])


def own_applications(places: Places) -> list[Found]:
    """The user's jobs in all places, the one submitted last first.

    Raises
    ------
    xlearning.errors.ClusterError
        A place does not answer.
    """
    return _newest_first(places.all())


def _newest_first(places: Sequence[Place]) -> list[Found]:
    found = [Found(report, place) for place in places for report in place.jobs(place.user)]
    return sorted(found, key=lambda one: -one.report.submitted)


def _with_id(app_id: str, places: Places) -> Found:
    try:
        return Found(places.local.report(app_id), places.local)
    except ApplicationNotFound:
        if places.only_local:
            raise
    try:
        yarn = places.yarn()
    except ConfigError as error:
        raise ApplicationNotFound(
            f"no application {app_id} on this machine; as to YARN: {error.message}",
            hint="set HADOOP_CONF_DIR to the folder with the cluster's core-site.xml and yarn-site.xml",
        ) from error
    try:
        return Found(yarn.report(app_id), yarn)
    except ApplicationNotFound as error:
        raise ApplicationNotFound(
            f"no application {app_id}, neither on this machine nor on YARN",
            hint="its id is what xl-submit prints first; old applications are forgotten after a while",
        ) from error


def _with_end(text: str, places: Places) -> Found:
    try:
        known = own_applications(places)
    except ClusterUnavailable as error:
        raise ClusterUnavailable(
            f"which job is meant by {text!r} cannot be told: {error.message}",
            hint="give the whole id, or --local for the jobs of this machine only",
        ) from error
    return _meant(text, known, places.all())


def _meant(text: str, known: Sequence[Found], places: Sequence[Place]) -> Found:
    """The one among the user's own jobs, newest first, that an end of an id or ``last`` means."""
    if text in _LAST_WORDS:
        known = [one for one in known if one.report.name != OF_DOCTOR]
        found = known[:1]
    else:
        found = [one for one in known if text and one.app_id.endswith(text)]
    if len(found) == 1:
        return found[0]
    if not found:
        where = " and ".join(f"on {place.title}" for place in places)
        raise UsageError(
            f"there is no job of yours {where}"
            if not known
            else f"no job of yours has an id that ends in {text!r} ({where})",
            hint="its id is what xl-submit prints first; xl-submit list shows them",
        )
    raise UsageError(f"{text!r} is the end of several ids: {_some(found)}", hint="give more of the id")


def _some(found: Sequence[Found]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(one.app_id for one in found[:_SHOWN]) + more


def refuse_ended(found: Found, what: str) -> None:
    """`ClusterError` for an application that has ended: ``what`` cannot be done with it any more."""
    if found.report.state.final:
        raise ClusterError(f"{found.app_id} has ended ({found.report.state.value}): {what}")
