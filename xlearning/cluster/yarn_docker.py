"""YARN's own Docker runtime: the variables by which a container asks its NodeManager for it."""

from __future__ import annotations

from xlearning.cluster.docker_image import image
from xlearning.config import Config

RUNTIME = "YARN_CONTAINER_RUNTIME_TYPE"
IMAGE = "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE"
MOUNTS = "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS"


def wanted(config: Config) -> bool:
    """Whether containers are to run so."""
    runtime = config.get("xlearning.docker.runtime")
    return bool(config.get("xlearning.container.type") == "DOCKER" and runtime == "YARN")


def variables(config: Config) -> dict[str, str]:
    """Variables of a container; none where it runs plainly."""
    if not wanted(config):
        return {}
    found = {RUNTIME: "docker", IMAGE: image(config)}
    mounts = config.get("xlearning.docker.mounts")
    if mounts:
        found[MOUNTS] = ",".join(mounts)
    return found
