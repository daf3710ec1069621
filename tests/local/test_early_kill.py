"""A job that is killed while its ApplicationMaster still begins leaves nothing of what it began."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from job_samples import OWN_APP
from local.attempt import Attempt, staging_of
from submitting import wait_for

from xlearning.cluster.local_containers import LocalContainerManager
from xlearning.fs.commit import Committer
from xlearning.fs.local import LocalFileSystem
from xlearning.job import AppState


@pytest.mark.parametrize("slow", ["/commit-1", "/_temporary/"])
@pytest.mark.parametrize("broken", [False, True])
def test_nothing_is_made_after_the_cleaning(
    broken: bool, slow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {child.pid for child in psutil.Process().children()}  # servers and clusters of the session
    staging, begun = staging_of(tmp_path), threading.Event()
    mkdirs = LocalFileSystem.mkdirs

    def slowly(self: LocalFileSystem, path: str, **how: Any) -> None:
        if slow in path:
            begun.set()
            time.sleep(0.7)
        mkdirs(self, path, **how)

    monkeypatch.setattr(LocalFileSystem, "mkdirs", slowly)
    if broken:  # a step of the end that fails in a way nobody thought of
        monkeypatch.setattr(Committer, "discard", lambda _: 1 // 0)
    attempt = Attempt(tmp_path, 1)

    async def run() -> AppState:
        runtime = attempt.runtime()
        running = asyncio.create_task(runtime.run())
        await asyncio.to_thread(begun.wait, 20)
        runtime.request_kill("alice", "too early")
        return await running

    assert asyncio.run(run()) is AppState.KILLED
    time.sleep(1.0)  # what would be made late
    wait_for(lambda: _no_agent(attempt.manager, others), 20)
    assert (tmp_path / "out").exists() == staging.exists() == broken
    said = json.loads((tmp_path / "apps" / OWN_APP / "am" / "1" / "finish.json").read_text())
    assert said["state"] == "KILLED"


def _no_agent(manager: LocalContainerManager, others: set[int]) -> bool:
    """End agents, which is the supervisor's work, and collect their exit status; whether none is left."""
    manager.poll()
    agents = [child for child in psutil.Process().children() if child.pid not in others]
    for agent in agents:
        agent.kill()
    return not agents
