"""Whether the queue and the node labels that a job names are there, and open to its user."""

from __future__ import annotations

import dataclasses
import difflib
import grp
import os
import pwd
from collections.abc import Iterator, Sequence

from xlearning.client.problems import Problem
from xlearning.cluster.skein_spec import DEFAULT_QUEUE
from xlearning.cluster.yarn_facts import Facts
from xlearning.cluster.yarn_queues import Queue, Scheduler, allowed
from xlearning.cluster.yarn_resources import node_label
from xlearning.config import Config
from xlearning.job import JobSpec

_KEY = "xlearning.app.queue"
_SHOWN = 12  # names in a list of queues


def find(config: Config, facts: Facts) -> Queue | None:
    """The queue that a job goes to; None where there is none, or where that is not known."""
    scheduler, name = facts.scheduler, _wanted(config)
    found = scheduler.find(name) if scheduler else ()
    if scheduler and not found and scheduler.kind == "fair" and facts.undeclared:
        path = name if name.startswith("root.") else f"root.{name}"
        above = scheduler.above(path)  # the queue will be made, and has no limits of its own
        return dataclasses.replace(above, path=path) if above else None
    return found[0] if len(found) == 1 and found[0].leaf else None


def check(config: Config, facts: Facts, user: str, problems: list[Problem], notes: list[str]) -> None:
    """Whether the queue takes an application of this user."""
    scheduler, name = facts.scheduler, _wanted(config)
    if scheduler is None or not scheduler.queues:
        return  # not told, or a scheduler without queues
    found = scheduler.find(name)
    if len(found) > 1:
        paths = ", ".join(queue.path for queue in found)
        problems.append(
            Problem(f"there are several queues {name}: {paths}", "give the path of one: --queue PATH")
        )
    elif not found:
        _missing(config, name, facts, problems, notes)
    elif not found[0].leaf:
        _no_leaf(found[0], scheduler, problems)
    else:
        problems += _closed(found[0], facts, user)


def check_labels(job: JobSpec, config: Config, facts: Facts, queue: Queue | None) -> Iterator[Problem]:
    """Node labels that the cluster does not have, or that the queue may not use."""
    for role in ("am", *dict.fromkeys("ps" if role.name == "ps" else "worker" for role in job.roles)):
        label = node_label(role, config).strip()
        key = f"xlearning.{role}.nodeLabelExpression"
        if not label or facts.labels is None:
            continue
        if label not in facts.labels:
            known = f"its labels are {', '.join(facts.labels)}" if facts.labels else "it has none"
            fix = f"correct {key}, or leave it out; {known}"
            yield Problem(f"{key}={label}: this cluster has no such node label", fix)
        elif queue and queue.labels is not None and not {label, "*"} & set(queue.labels):
            usable = ", ".join(queue.labels) or "none"
            yield Problem(
                f"{key}={label}: queue {queue.path} may not use nodes with this label (it may use: {usable})",
                "name another queue with --queue, or leave the label out",
            )


def groups_of(user: str) -> list[str]:
    """The user's groups as this machine knows them."""
    try:
        found = os.getgrouplist(user, pwd.getpwnam(user).pw_gid)
        return [grp.getgrgid(number).gr_name for number in found]
    except (KeyError, OSError):
        return []


def _wanted(config: Config) -> str:
    return (config.get(_KEY) or "").strip() or DEFAULT_QUEUE


def _missing(config: Config, name: str, facts: Facts, problems: list[Problem], notes: list[str]) -> None:
    scheduler = facts.scheduler
    assert scheduler is not None
    leaves = [queue.path for queue in scheduler.queues if queue.leaf]
    above = scheduler.above(name)
    if (above is not None and above.grows) or (scheduler.kind == "fair" and facts.undeclared):
        return
    if not (config.get(_KEY) or "").strip():
        notes.append(
            f"no queue is named, and there is no queue {name}: YARN may place the job by rules of its "
            f"own or refuse it; --queue names one of {_list(leaves)}"
        )
        return
    names = [queue.name for queue in scheduler.queues if queue.leaf] + leaves
    near = difflib.get_close_matches(name, names, 1)
    guess = f"did you mean {near[0]}? " if near else ""
    problems.append(Problem(f"there is no queue {name}", f"{guess}the cluster's queues are {_list(leaves)}"))


def _no_leaf(queue: Queue, scheduler: Scheduler, problems: list[Problem]) -> None:
    if queue.grows:
        return
    below = [each.path for each in scheduler.queues if each.leaf and each.path.startswith(queue.path + ".")]
    fix = f"name one of them: {_list(below)}" if below else "name another queue with --queue"
    problems.append(Problem(f"queue {queue.path} only holds other queues, not applications", fix))


def _closed(queue: Queue, facts: Facts, user: str) -> Iterator[Problem]:
    other = "name another queue with --queue"
    stopped = queue.state not in ("", "RUNNING")
    if stopped:
        yield Problem(
            f"queue {queue.path} is {queue.state} and takes no applications", f"{other}, or try again later"
        )
    if facts.access_control and allowed(queue.access, user, groups_of(user)) is False:
        yield Problem(
            f"{user} has no right to submit to queue {queue.path}",
            f"{other}, or ask the cluster's administrator to put {user} into its acl_submit_applications",
        )
    if queue.full and not stopped:
        yield Problem(
            f"queue {queue.path} holds as many applications as it takes", f"{other}, or try again later"
        )


def _list(names: Sequence[str]) -> str:
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
