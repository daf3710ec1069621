"""What an application type decides: its roles, the rules for them, and what their programs get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xlearning.config import Config
from xlearning.job import EVALUATOR, PS, SCHEDULER, WORKER, ClusterMap, JobSpec, RoleSpec, Task

AGENT_PYTHON = "{agent-python}"
"""As the first word of `Setup.command`: the Python that the container's agent runs with."""


@dataclass(frozen=True)
class Crew:
    """Numbers of containers: workers count worker 0, and not the evaluator."""

    workers: int
    ps: int
    evaluator: bool


@dataclass(frozen=True)
class Rules:
    """How an application type treats its roles.

    Attributes
    ----------
    gang : bool
        True: the job needs every container, the first failure ends it. False: the containers are
        independent, and the job fails when failed >= workers * ``max_failure_rate``.
    ports : mapping
        Role -> number of ports that its containers reserve.
    lent_ports : frozenset
        Roles whose ports are unbound just before the program starts, because it could not bind them
        otherwise: it sets neither SO_REUSEADDR nor SO_REUSEPORT.
    service_roles : frozenset
        Roles that serve the others and are stopped when these are done (parameter servers). They do not
        decide the outcome of a job whose other roles have all ended well.
    chief_decides : bool
        Worker 0 alone decides when the training is over: the other workers serve it, as `service_roles` do.
    service_grace : float
        Seconds that service roles have to end by themselves then. One that fails meanwhile, or has not
        ended when they are over, fails the job. 0: they are stopped at once.
    service_limit : str
        The property that these seconds come of, for the error.
    optional_roles : frozenset
        Roles whose failure does not count, and that get a grace time at the end (the evaluator).
    upload_roles : frozenset
        Roles whose local output is taken back.
    has_chief : bool
        Worker 0 is shown as the chief.
    """

    gang: bool = False
    max_failure_rate: float = 0.5
    ports: Mapping[str, int] = field(default_factory=dict)
    lent_ports: frozenset[str] = frozenset()
    service_roles: frozenset[str] = frozenset((PS,))
    chief_decides: bool = False
    service_grace: float = 0.0
    service_limit: str = ""
    optional_roles: frozenset[str] = frozenset((EVALUATOR,))
    upload_roles: frozenset[str] = frozenset((WORKER, EVALUATOR))
    has_chief: bool = False

    def serves(self, task: Task) -> bool:
        """Whether a task is stopped when the others are done."""
        return task.role in self.service_roles or (
            self.chief_decides and task.role == WORKER and task.index > 0
        )


@dataclass(frozen=True)
class Setup:
    """What the program of one container gets beyond what all types get.

    Attributes
    ----------
    env : mapping
        Variables; the user's own win over them.
    files : mapping
        Small text files (name relative to the working folder -> content), written before it starts.
    command : tuple of str
        What runs in place of the user's command, such as a tracker; empty: the user's command. Its first
        word may be `AGENT_PYTHON`.
    interfaces : mapping
        Variable -> host: it names the container's network interface that leads there.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    interfaces: Mapping[str, str] = field(default_factory=dict)


class Framework:
    """One application type: workers, unless a type says otherwise. Pure: nothing is read or asked.

    Derive from it, and override what differs. An instance keeps no state: gateway and
    ApplicationMaster make their own.

    Attributes
    ----------
    runs : bool
        Whether there are jobs of it; where not, `problems` says what does its work.
    has_ps : bool
        Whether it has parameter servers (``--ps-num``).
    has_evaluator : bool
        Whether the last worker may be an evaluator (``--tf-evaluator``).
    launches : bool
        Whether programs of ours start the user's, which they cannot do in a Docker container of its own.
    fixed : tuple of str
        How names of variables begin that what it runs sets for each process, whatever the user gives.
    """

    runs = True
    has_ps = False
    has_evaluator = False
    launches = False
    fixed: tuple[str, ...] = ()

    def problems(self, crew: Crew, config: Config) -> Sequence[tuple[str, str]]:
        """What is wrong with a job of this type: (what, what to do about it) pairs."""
        return ()

    def no_evaluator(self, workers: int, ps: int, config: Config) -> str:
        """Why a job of so many workers, the evaluator one of them, has none; empty if it can have one."""
        return "" if self.has_evaluator and workers > 1 else "it needs type TENSORFLOW and at least 2 workers"

    def notes(self, crew: Crew, config: Config) -> Sequence[str]:
        """What somebody who submits a job of this type may not expect."""
        return ()

    def roles(self, crew: Crew, config: Config) -> tuple[RoleSpec, ...]:
        """Roles in the order in which the cluster is asked for them."""
        workers = worker_role(crew.workers, config)
        return (ps_role(crew.ps, config), workers) if crew.ps else (workers,)

    def rules(self, job: JobSpec, config: Config) -> Rules:
        """How success, failure, ports and outputs work; independent workers unless overridden."""
        return Rules(max_failure_rate=config.get("xlearning.container.maxFailures.rate"))

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        """What ``task`` gets; ``cluster`` has every task of the job."""
        return Setup({"INDEX": str(task.index)})


def worker_role(count: int, config: Config) -> RoleSpec:
    """Workers with the resources that the properties give them."""
    memory, cores = config.get("xlearning.worker.memory"), config.get("xlearning.worker.cores")
    return RoleSpec(WORKER, count, memory, cores)


def ps_role(count: int, config: Config) -> RoleSpec:
    """Parameter servers with the resources that the properties give them."""
    memory, cores = config.get("xlearning.ps.memory"), config.get("xlearning.ps.cores")
    return RoleSpec(PS, count, memory, cores)


def scheduler_role(config: Config) -> RoleSpec:
    """The one that brings the others together (scheduler, tracker, launcher), with its own resources."""
    memory, cores = config.get("xlearning.scheduler.memory"), config.get("xlearning.scheduler.cores")
    return RoleSpec(SCHEDULER, 1, memory, cores)


def alone(crew: Crew, way_out: str) -> Sequence[str]:
    """A note for several workers of a type that brings them together only where it is asked to."""
    if crew.ps or crew.workers < 2:
        return ()
    return [
        f"{crew.workers} workers without parameter servers are independent: each trains a model of its own "
        f"({way_out} lets them train one)"
    ]


def peer(rank: int, hosts: Sequence[str]) -> str:
    """A host that this rank has to reach, an other one if there is any.

    Left alone, gloo listens on what the name of its own host means there. That is often 127.0.1.1,
    where nobody else finds it.
    """
    return next((host for host in hosts if host != hosts[rank]), hosts[rank])
