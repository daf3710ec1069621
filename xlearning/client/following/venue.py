"""Where a followed job runs, as far as following it needs to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xlearning.client.console import Console
from xlearning.client.submission import Draft
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.job import Snapshot

if TYPE_CHECKING:
    from xlearning.client.verbs.log_sources import LogSource


@dataclass(frozen=True)
class Venue:
    """A back end, and who looks at it.

    Attributes
    ----------
    name : str
        ``local`` or ``yarn``.
    user : str
        Who follows, as the back end calls them: only their own jobs are put in order.
    tidy : callable
        Removes what the back end itself left of an application that has ended.
    log_source : callable
        Application id -> logs of it while it runs.
    recorded : callable
        The last report -> what is written down of an application of which no snapshot was seen.
    owner : str or None
        Whose its staging folder must be; None where this process has made it.
    """

    name: str
    user: str
    cluster: ClusterClient
    fss: FileSystems
    config: Config
    tidy: Callable[[str, Console], None]
    log_source: Callable[[str], LogSource]
    recorded: Callable[[ApplicationReport], Snapshot | None]
    owner: str | None = None


def venue_of(made: Draft) -> Venue:
    """The back end of a job that was just submitted."""
    end = made.back_end
    return Venue(
        name=end.name,
        user=end.user,
        cluster=end.cluster,
        fss=made.fss,
        config=made.config,
        tidy=lambda app_id, console: end.tidy(app_id, made.fss, console),
        log_source=end.log_source,
        recorded=lambda _report: None,
    )
