"""What is asked of a ResourceManager before a submission, in one go; what it does not tell is left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from xlearning.cluster import yarn_queues, yarn_resources
from xlearning.cluster.yarn_queues import Scheduler
from xlearning.cluster.yarn_resources import Limits
from xlearning.errors import ClusterError

_UNTOLD = (ClusterError, OSError, LookupError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True)
class Facts:
    """A cluster as it is now; None where it is not known.

    Attributes
    ----------
    step_mb : int
        Memory of containers is rounded up to multiples of this.
    labels : tuple of str or None
        Names of the node labels.
    access_control : bool
        Whether the access lists of queues are looked at.
    undeclared : bool
        Whether the FairScheduler makes queues that nobody has declared.
    """

    limits: Limits = field(default_factory=Limits)
    scheduler: Scheduler | None = None
    step_mb: int = 1
    labels: tuple[str, ...] | None = None
    access_control: bool = False
    undeclared: bool = True


def ask(get: Callable[[str], Any]) -> Facts:
    """The facts of a cluster.

    Parameters
    ----------
    get : callable
        Path -> parsed answer of the ResourceManager's web service.
    """
    return Facts(
        limits=yarn_resources.ask(get),
        scheduler=_told(lambda: yarn_queues.read(get(yarn_queues.SCHEDULER), _total(get))),
        step_mb=yarn_resources.setting(get, "yarn.scheduler.minimum-allocation-mb") or 1,
        labels=_told(lambda: yarn_queues.labels(get(yarn_queues.LABELS))),
        access_control=yarn_resources.text(get, "yarn.acl.enable").lower() == "true",
        undeclared=yarn_resources.text(get, "yarn.scheduler.fair.allow-undeclared-pools").lower() != "false",
    )


def _total(get: Callable[[str], Any]) -> dict[str, int]:
    return _told(lambda: yarn_queues.total(get(yarn_queues.METRICS))) or {}


def _told(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except _UNTOLD:
        return None
