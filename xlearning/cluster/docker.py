"""Docker: who starts a job's containers, of which image, and what YARN's own runtime is asked for."""

from __future__ import annotations

from xlearning.config import Config

AGENT, YARN = "AGENT", "YARN"
_TYPE = "YARN_CONTAINER_RUNTIME_TYPE"
_IMAGE = "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE"
_MOUNTS = "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS"


def runtime(config: Config) -> str:
    """Who starts Docker: ``AGENT`` by ``docker run``, or ``YARN``; empty where programs run without."""
    if config.get("xlearning.container.type") != "DOCKER":
        return ""
    return str(config.get("xlearning.docker.runtime"))


def image(config: Config) -> str:
    """The image with the registry in front, where one is set."""
    host, port = config.get("xlearning.docker.registry.host"), config.get("xlearning.docker.registry.port")
    name = str(config.get("xlearning.docker.image") or "")
    if not host:
        return name
    return f"{host}:{port}/{name}" if port else f"{host}/{name}"


def variables(config: Config) -> dict[str, str]:
    """Variables by which a container asks its NodeManager for YARN's own runtime; none where it does not."""
    if runtime(config) != YARN:
        return {}
    found = {_TYPE: "docker", _IMAGE: image(config)}
    mounts = config.get("xlearning.docker.mounts")
    if mounts:
        found[_MOUNTS] = ",".join(mounts)
    return found
