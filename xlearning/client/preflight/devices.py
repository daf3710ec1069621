"""What a job with ``--local`` wants of this machine beside files: Docker, memory, GPUs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence

from xlearning.client.problems import Problem
from xlearning.cluster.exit_words import memory_property
from xlearning.cluster.gpus import VISIBLE, gpus, of_this_machine
from xlearning.config import Config
from xlearning.job import JobSpec, RoleSpec
from xlearning.units import format_bytes

_COMMAND = "xlearning.docker.command"


def check(job: JobSpec, config: Config, notes: list[str]) -> Iterator[Problem]:
    """What is not there."""
    command = config.get(_COMMAND)
    if config.get("xlearning.container.type") == "DOCKER" and shutil.which(command) is None:
        yield Problem(
            f"container type docker: this machine has no {command}",
            f"install Docker, or name its command with {_COMMAND}",
        )
    if any(config.is_set(memory_property(role.name)) for role in job.roles):
        tell_memory(job.roles, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), notes)
    wanted = sum(role.instances * gpus(role, config) for role in job.roles)
    if not wanted:
        return
    there = len(of_this_machine(os.environ))
    if not there:
        notes.append("no GPU is given to containers: this machine has none")
    elif wanted > there:
        where = VISIBLE if VISIBLE in os.environ else "this machine"
        yield Problem(
            f"the job asks for {wanted} GPUs in all; {where} has {there}, so it would wait for ever",
            "ask for fewer workers, or fewer GPUs for each",
        )


def tell_memory(roles: Sequence[RoleSpec], there: int, notes: list[str]) -> None:
    """A note where the containers may use more than the ``there`` bytes of memory of this machine."""
    asked = sum(role.instances * role.memory_mb for role in roles) * 2**20
    if asked > there:
        notes.append(
            f"the containers may use {format_bytes(asked)} of memory in all; "
            f"this machine has {format_bytes(there)}"
        )
