"""Containers that YARN was to start in Docker, and did not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from xlearning.config import Config
from xlearning.container import node
from xlearning.container.identity import Identity
from xlearning.container.program import Program
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.job import LaunchSpec


@pytest.fixture
def program(tmp_path: Path) -> Program:
    properties = {"container.type": "DOCKER", "docker.image": "i", "docker.runtime": "YARN"}
    config = Config.from_properties({f"xlearning.{name}": value for name, value in properties.items()})
    identity = Identity("a", 1, "file:///s", "c", "worker", tmp_path, tmp_path, "127.0.0.1", "yarn")
    return Program(LaunchSpec(("true",)), identity, tmp_path, config)


def test_the_program_is_not_started_on_the_bare_node(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "in_docker", lambda: False)
    with pytest.raises(XLearningError, match="NodeManager started it without"):
        asyncio.run(program.prepare(FileSystems("file://")))
