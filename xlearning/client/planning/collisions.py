"""Variables that somebody gives (``--env``), and that the application type or what it runs sets too."""

from __future__ import annotations

from xlearning.config import Config
from xlearning.frameworks.base import Framework
from xlearning.job import CHIEF, WORKER, ClusterMap, JobSpec, Member, Task

_HOST, _IP, _PORT = "node", "192.0.2.1", 20001  # an address that nobody has (RFC 5737)


def tell(type_: Framework, job: JobSpec, config: Config, notes: list[str]) -> None:
    """Which of the user's variables replace those of the type, and which have no effect."""
    if not job.env:
        return
    fixed = sorted(name for name in job.env if name.startswith(type_.fixed))
    if fixed:
        listed = ", ".join(fixed)
        notes.append(f"type {job.app_type} sets these for each process, so yours have no effect: {listed}")
    replaced = sorted((set(job.env) & names(type_, job, config)) - set(fixed))
    if replaced:
        listed = ", ".join(replaced)
        notes.append(f"in every container yours replace what type {job.app_type} sets there: {listed}")


def names(type_: Framework, job: JobSpec, config: Config) -> set[str]:
    """What the type sets in any of the containers: asked with a cluster that might be."""
    ports = type_.rules(job, config).ports
    cluster: ClusterMap = {}
    for role in job.roles:
        name = WORKER if role.name == CHIEF else role.name
        reserved = tuple(range(_PORT, _PORT + ports.get(name, 0)))
        members = (Member(_HOST, reserved, _IP),) * role.instances
        cluster = {**cluster, name: (*cluster.get(name, ()), *members)}
    # the first and the last of a role: a chief and a worker, say
    tasks = {(name, index) for name, members in cluster.items() for index in (0, len(members) - 1)}
    return {variable for task in tasks for variable in type_.setup(job, config, Task(*task, 1), cluster).env}
