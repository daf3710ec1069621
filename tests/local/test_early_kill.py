"""A job that is killed while its ApplicationMaster still begins leaves nothing of what it began."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from job_samples import OWN_APP
from submitting import wait_for

from xlearning.am.runtime import Runtime, Services
from xlearning.cluster import base, credentials
from xlearning.cluster.local_containers import LocalContainerManager
from xlearning.fs import FileSystems
from xlearning.fs.commit import Committer
from xlearning.fs.local import LocalFileSystem
from xlearning.history.store import HistoryWriter
from xlearning.job import AppState, JobSpec, OutputSpec, RoleSpec, to_dict


@pytest.mark.parametrize("slow", ["/commit-1", "/_temporary/"])
@pytest.mark.parametrize("broken", [False, True])
def test_nothing_is_made_after_the_cleaning(
    broken: bool, slow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {child.pid for child in psutil.Process().children()}  # servers and clusters of the session
    staging, begun = tmp_path / "staging" / OWN_APP, threading.Event()
    mkdirs = LocalFileSystem.mkdirs

    def slowly(self: LocalFileSystem, path: str, **how: Any) -> None:
        if slow in path:
            begun.set()
            time.sleep(0.7)
        mkdirs(self, path, **how)

    monkeypatch.setattr(LocalFileSystem, "mkdirs", slowly)
    if broken:  # a step of the end that fails in a way nobody thought of
        monkeypatch.setattr(Committer, "discard", lambda _: 1 // 0)
    credentials.create(staging / "credentials")
    outputs = (OutputSpec((tmp_path / "out").as_uri(), "model"),)
    roles = (RoleSpec("worker", 1, 512, 1),)
    job = JobSpec(OWN_APP, "n", "T", "me", ("true",), roles, staging.as_uri(), "file://", outputs=outputs)
    (staging / "job.json").write_text(json.dumps(to_dict(job)))
    storage = FileSystems("file://")
    environ = {
        **os.environ,
        base.ENV_APP_ID: OWN_APP,
        base.ENV_STAGING: job.staging,
        base.ENV_CREDENTIALS: str(staging / "credentials"),
        base.ENV_HOST: "127.0.0.1",
        base.ENV_BACKEND: "local",
    }
    (tmp_path / "apps" / OWN_APP / "am" / "1").mkdir(parents=True)
    manager = LocalContainerManager(tmp_path / "apps" / OWN_APP, job, environ=environ)

    async def run() -> AppState:
        history = HistoryWriter(storage, (tmp_path / "history").as_uri())
        certificate, key = credentials.load(staging / "credentials")
        runtime = Runtime(job, 1, Services(manager, storage, history, certificate, key, "127.0.0.1", False))
        running = asyncio.create_task(runtime.run())
        await asyncio.to_thread(begun.wait, 20)
        runtime.request_kill("alice", "too early")
        return await running

    assert asyncio.run(run()) is AppState.KILLED
    time.sleep(1.0)  # what would be made late
    wait_for(lambda: _no_agent(manager, others), 20)
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
