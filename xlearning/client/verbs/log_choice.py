"""Which containers' logs are meant. Pure: words of the command line against what is known of a job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xlearning.client.following.changes import label
from xlearning.cluster.base import KnownContainer
from xlearning.errors import UsageError
from xlearning.job import Snapshot
from xlearning.links import web_link

AM_ROLE = "am"
_SHOWN = 12
_CONTAINER = re.compile(r"container_(?:e\d+_)?(\d+_\d+)_\d+_\d+")


@dataclass(frozen=True)
class LogTarget:
    """A container whose logs can be shown.

    Attributes
    ----------
    role : str
        Empty where only YARN knows the container.
    web : str
        URL of its NodeManager; empty where there is none or it is not known.
    """

    id: str
    role: str
    index: int | None
    label: str
    web: str = ""

    @property
    def title(self) -> str:
        """As it is named above its lines."""
        return f"{self.label} {self.id}" if self.label else self.id


def known_targets(
    snapshot: Snapshot | None, yarn: Iterable[KnownContainer], masters: Sequence[str]
) -> list[LogTarget]:
    """Every container that is known, the ApplicationMasters' first.

    Parameters
    ----------
    masters : sequence of str
        Ids of the ApplicationMasters' containers.
    """
    webs = {one.id: one.web for one in yarn}
    views = snapshot.containers if snapshot else ()
    found = {one: LogTarget(one, AM_ROLE, None, AM_ROLE, webs.get(one, "")) for one in masters}
    for one in yarn:
        if one.master:
            found.setdefault(one.id, LogTarget(one.id, AM_ROLE, None, AM_ROLE, one.web))
    for view in views:
        web = webs.get(view.id) or _web_of(view.log_url)
        found[view.id] = LogTarget(view.id, view.role, view.index, label(view), web)
    for one in yarn:
        found.setdefault(one.id, LogTarget(one.id, one.role, None, one.role, one.web))
    return list(found.values())


def choose(
    known: Sequence[LogTarget],
    app_id: str,
    *,
    role: str | None,
    index: int | None,
    container: str | None,
    ended: bool = True,
) -> list[LogTarget]:
    """The containers that are meant; without any word all but the ApplicationMasters.

    A whole id of a container of the application is taken as it is: its logs may be all that is left of it.

    Parameters
    ----------
    ended : bool
        Whether the job has ended; until then containers come, and get indices when all are there.

    Raises
    ------
    UsageError
        No container is meant, or a word means several of them.
    """
    yet = "" if ended else " yet"
    if container is not None:
        found = [one for one in known if one.id == container] or [
            one for one in known if container and one.id.endswith(container)
        ]
        if len(found) > 1:
            raise UsageError(
                f"{container!r} is the end of several ids: {_ids(found)}", hint="give more of it"
            )
        if not found and _of_app(container, app_id):
            return [LogTarget(container, "", None, "")]
        if not found:
            raise UsageError(f"the job has no container {container}{yet}", hint=f"it has {_ids(known)}")
        return found
    if role is None:
        found = [one for one in known if one.role != AM_ROLE]
        if not found:
            raise UsageError(
                f"no container of the job is known{yet}",
                hint="--role am shows the ApplicationMaster's logs, --container those of a container whose "
                f"whole id you know; on YARN, yarn logs -applicationId {app_id} shows all",
            )
        return found
    of_role = [one for one in known if one.role == role]
    found = [one for one in of_role if index is None or one.index == index]
    if not found:
        wanted = role if index is None else f"{role}:{index}"
        unknown = [one for one in known if not one.role]
        hint = f"--container takes {_ids(unknown)}, whose roles are not known" if unknown else _labels(known)
        if not ended and (unknown or of_role):
            hint = (
                f"roles and indices are given when all containers are there: try again in a moment, or {hint}"
            )
        raise UsageError(f"the job has no container {wanted}{yet}", hint=hint)
    return found


def _of_app(container_id: str, app_id: str) -> bool:
    match = _CONTAINER.fullmatch(container_id)
    return match is not None and f"application_{match.group(1)}" == app_id


def _web_of(log_url: str) -> str:
    """``http://host:8042`` of a container's log page."""
    scheme, _, rest = web_link(log_url).partition("://")
    return f"{scheme}://{rest.partition('/')[0]}" if "/node/containerlogs/" in log_url else ""


def _labels(known: Sequence[LogTarget]) -> str:
    return f"it has {', '.join(sorted({one.label for one in known if one.label})) or 'none'}"


def _ids(targets: Sequence[LogTarget]) -> str:
    more = f" and {len(targets) - _SHOWN} more" if len(targets) > _SHOWN else ""
    return (", ".join(one.id for one in targets[:_SHOWN]) or "none") + more
