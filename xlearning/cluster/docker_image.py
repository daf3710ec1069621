"""The image that a job's Docker containers run, whoever starts them."""

from __future__ import annotations

from xlearning.config import Config


def image(config: Config) -> str:
    """The image with the registry in front, where one is set."""
    host, port = config.get("xlearning.docker.registry.host"), config.get("xlearning.docker.registry.port")
    name = str(config.get("xlearning.docker.image") or "")
    if not host:
        return name
    return f"{host}:{port}/{name}" if port else f"{host}/{name}"


def by_agent(config: Config) -> bool:
    """Whether agents start programs by ``docker run``."""
    runtime = config.get("xlearning.docker.runtime")
    return bool(config.get("xlearning.container.type") == "DOCKER" and runtime == "AGENT")
