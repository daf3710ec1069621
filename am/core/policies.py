"""When a job has succeeded or failed, and how long things may take. Pure data and pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from xlearning.am.core.hearsay import tells_of_others
from xlearning.am.core.state import Container
from xlearning.cluster.exit_words import out_of_memory
from xlearning.frameworks.base import Rules
from xlearning.job import ContainerState

_AGENT_MEMORY = 64 << 20  # bytes


@dataclass(frozen=True)
class Limits:
    """Times in seconds, counts as numbers, and what is done at the end.

    0 turns ``allocate``, ``job``, ``save`` and ``save_interval`` off.
    """

    register: float = 300.0  # allocated -> registered, and from there to reserved ports
    silence: float = 10.0
    reconnect: float = 1.0
    stop_grace: float = 2.0
    stop_margin: float = 5.0  # beyond the grace, before the container is ended by force
    evaluator_grace: float = 60.0
    failing_grace: float = 60.0  # for what a program that has failed left behind; event files on their way
    allocate: float = 0.0
    job: float = 0.0
    hearsay: float = 3.0  # from a failure for want of another one, for that one's to be known
    save: float = 1800.0
    save_margin: float = 5.0  # beyond that, for agents to say themselves that they gave up
    save_interval: float = 0.0  # between the beginnings of two saves by themselves
    saves_waiting: int = 3
    saves_kept: int = 0  # 0: all of them
    save_changed: bool = False  # only files that changed since the newest whole save
    release: float = 3.0
    release_killed: float = 0.25  # for those that were ended by force; the back end ends them at the latest
    stall: float = 2.0  # a longer gap between two ticks means that we were stalled ourselves
    start_retry: int = 2
    max_attempts: int = 1
    publish_failed: bool = False  # also the output of a job that failed (xlearning.failed.upload)


@dataclass(frozen=True)
class Verdict:
    """The outcome as far as the workers decide it; ``first``: who failed a gang."""

    succeeded: bool
    reason: str = ""
    first: Container | None = None


def verdict(rules: Rules, containers: Iterable[Container], since: float = math.inf) -> Verdict | None:
    """Outcome of the job, or None while it is open.

    In a gang one whose last words are about others is not taken for the first to fail before ``since``:
    the cause of the failure may still be on its way, as its program first closes what the others wait at.

    The rules are those of the original (with the 50 % rule kept for independent types), repaired
    where gang types were judged by it: there the first failure of any needed container decides.
    """
    placed = [c for c in containers if c.task is not None]
    needed = [c for c in placed if c.task and c.task.role not in rules.optional_roles]
    workers = [c for c in needed if c.task and not rules.serves(c.task)]
    failed = [c for c in needed if c.failure or c.state in (ContainerState.FAILED, ContainerState.LOST)]
    failed.sort(key=lambda c: c.ended)
    if rules.gang:
        if failed:
            return _failed_gang(failed, needed, since)
    else:
        lost = [c for c in failed if c in workers]
        if lost and len(lost) >= len(workers) * rules.max_failure_rate:
            return Verdict(False, _many(lost, len(workers)))
    if workers and all(c.state.final for c in workers):
        unsuccessful = [c for c in workers if c.state is not ContainerState.SUCCEEDED]
        return Verdict(True, _partly(unsuccessful, len(workers)) if unsuccessful else "")
    return None


def _failed_gang(failed: list[Container], needed: list[Container], since: float) -> Verdict | None:
    first = next((c for c in failed if not tells_of_others(c.last_lines)), None)
    alive = any(c not in failed and not c.state.final for c in needed)
    if first is None and alive and (failed[0].finished or 0.0) > since:
        return None
    first = first or failed[0]
    return Verdict(False, first.describe_end(), first)


def memory_note(role: str, used: int, limit_mb: int) -> str:
    """Why a container was ended by a signal, if that was for its memory; else nothing.

    The back end's own words about that come seconds later, if at all.

    Parameters
    ----------
    used : int
        The most bytes that the program and its children were seen to take.
    limit_mb : int
        Memory of the container, which the agent shares.
    """
    if used + _AGENT_MEMORY < limit_mb << 20:
        return ""
    return out_of_memory(f"{used >> 20} of {limit_mb} MB", role)


def _many(failed: list[Container], total: int) -> str:
    first = failed[0].describe_end()
    return first if len(failed) == 1 else f"{len(failed)} of {total} workers failed; first: {first}"


def _partly(unsuccessful: list[Container], total: int) -> str:
    names = ", ".join(str(c.task) for c in unsuccessful[:5])
    return f"{len(unsuccessful)} of {total} workers did not succeed: {names}"
