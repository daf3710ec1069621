"""What changes from attempt to attempt of an application: memory, and skein's services. Pure.

A service of skein cannot change its resources. Where memory grows, every role has a service of its
own for each later attempt, without containers; the ApplicationMaster of that attempt asks for them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from xlearning.config import Config
from xlearning.job import PS, RoleSpec

_MARK = ".a"


def grow(role: RoleSpec, config: Config, attempt: int) -> RoleSpec:
    """A role as an attempt runs it.

    On attempt n its memory is larger by (n-1) * ceil(memory * ratio), as in the original, where the
    chief and the evaluator were forgotten. It grows no further than ``xlearning.app.max.attempts``
    says: YARN may start one more attempt where a machine was lost.
    """
    steps = min(attempt, config.get("xlearning.app.max.attempts")) - 1
    extra = max(0, steps) * math.ceil(role.memory_mb * _ratio(role, config))
    return dataclasses.replace(role, memory_mb=role.memory_mb + extra)


def grows(roles: Sequence[RoleSpec], config: Config) -> bool:
    """Whether a later attempt gets more memory than the first one."""
    return config.get("xlearning.app.max.attempts") > 1 and any(_ratio(role, config) > 0 for role in roles)


def service(role: str, attempt: int) -> str:
    """Name of the service of a role's containers in an attempt whose memory has grown."""
    return role if attempt <= 1 else f"{role}{_MARK}{attempt}"


def later(roles: Sequence[RoleSpec], config: Config) -> list[int]:
    """Numbers of the attempts that have services of their own."""
    return list(range(2, config.get("xlearning.app.max.attempts") + 1)) if grows(roles, config) else []


def own_service_attempt(roles: Sequence[RoleSpec], config: Config, attempt: int) -> int:
    """The attempt whose services an attempt uses; 1 for those of the submission."""
    return max([1, *(number for number in later(roles, config) if number <= attempt)])


def _ratio(role: RoleSpec, config: Config) -> float:
    name = "xlearning.ps.mem.autoscale" if role.name == PS else "xlearning.worker.mem.autoscale"
    return float(config.get(name))
