"""What a job with ``--local`` wants of this machine beside files: Docker, GPUs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from xlearning.client.problems import Problem
from xlearning.cluster.gpus import VISIBLE, gpus, of_this_machine
from xlearning.config import Config
from xlearning.job import JobSpec

_COMMAND = "xlearning.docker.command"


def check(job: JobSpec, config: Config, notes: list[str]) -> Iterator[Problem]:
    """What is not there."""
    command = config.get(_COMMAND)
    if config.get("xlearning.container.type") == "DOCKER" and shutil.which(command) is None:
        yield Problem(
            f"container type docker: this machine has no {command}",
            f"install Docker, or name its command with {_COMMAND}",
        )
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
