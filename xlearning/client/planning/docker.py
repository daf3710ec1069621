"""Docker's properties: what is missing, what contradicts itself, what has no effect."""

from __future__ import annotations

import re
import shlex

from xlearning.client.planning.idle import given
from xlearning.client.problems import Problem
from xlearning.cluster import docker
from xlearning.config import Config
from xlearning.frameworks.base import Framework

_TYPE, _IMAGE, _RUNTIME = "xlearning.container.type", "xlearning.docker.image", "xlearning.docker.runtime"
_ARGS, _MOUNTS = "xlearning.docker.run.args", "xlearning.docker.mounts"
# YARN writes them unescaped into a shell script.
_PLAIN = re.compile(r"[\w./:@,=+-]+")
_MOUNT = re.compile(r"/[^:]*:/[^:]*(:(ro|rw))?")
_OF_RUN = ("xlearning.docker.run.args", "xlearning.docker.command", "xlearning.docker.worker.dir",
           "xlearning.docker.pull")  # fmt: skip


def check(
    app_type: str,
    type_: Framework,
    config: Config,
    problems: list[Problem],
    notes: list[str],
    *,
    local: bool,
) -> None:
    """Tell what keeps a job from running in Docker containers, before anything is submitted.

    Parameters
    ----------
    local : bool
        Whether the job runs on this machine.
    """
    if config.get(_TYPE) != "DOCKER":
        if names := given(config, ("xlearning.docker.",)):
            notes.append(f"no effect without --container-type docker: {names}")
        return
    if not config.get(_IMAGE):
        problems.append(Problem("container type docker has no image", "name one with --docker-image IMAGE"))
    for mount in config.get(_MOUNTS) or ():
        if _MOUNT.fullmatch(mount) is None:
            problems.append(
                Problem(f"{_MOUNTS}: {mount} is no mount", "write SOURCE:TARGET:ro with absolute paths")
            )
    if docker.runtime(config) == docker.YARN:
        _check_yarn(config, problems, notes, local=local)
        return
    if type_.launches:
        problems.append(
            Problem(
                f"type {app_type} starts its ranks by a launcher, which cannot do so in Docker containers",
                f"set {_RUNTIME}=YARN, or leave out --container-type",
            )
        )
    try:
        shlex.split(config.get(_ARGS) or "")
    except ValueError:
        problems.append(Problem(f"{config.entry(_ARGS)}: the quotes do not match", "close the quotes"))


def _check_yarn(config: Config, problems: list[Problem], notes: list[str], *, local: bool) -> None:
    if local:
        problems.append(
            Problem(f"{_RUNTIME}=YARN: there is no YARN with --local", f"set {_RUNTIME}=AGENT for this run")
        )
    for name, value in docker.variables(config).items():
        if value and _PLAIN.fullmatch(value) is None:
            problems.append(
                Problem(
                    f"{name}={value}: YARN can pass on letters, digits and ./:@,=+- only",
                    "use another name or path, without blanks and quotes",
                )
            )
    if names := given(config, _OF_RUN):
        notes.append(f"no effect with {_RUNTIME}=YARN: {names}")
