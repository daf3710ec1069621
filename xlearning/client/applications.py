"""Which application a person means."""

from __future__ import annotations

import re

from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.errors import UsageError

LAST = "last"
_FULL = re.compile(r"application_\d+_\d+")
_SHOWN = 5


def find_application(text: str, cluster: ClusterClient) -> ApplicationReport:
    """The application of a full id, of the end of an id, or of ``last``.

    Raises
    ------
    xlearning.errors.ApplicationNotFound
        There is none with this id.
    UsageError
        No application, or more than one, has this end.
    """
    if _FULL.fullmatch(text):
        return cluster.report(text)
    reports = cluster.list()
    found = reports[:1] if text == LAST else [r for r in reports if text and r.app_id.endswith(text)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(
            "there is no job on this machine" if not reports else f"no job has an id that ends in {text!r}",
            hint="its id is what xl-submit prints first",
        )
    shown = ", ".join(report.app_id for report in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise UsageError(f"{text!r} is the end of several ids: {shown}{more}", hint="give more of the id")
