"""An agent that was given up and lives on: its old generation can do nothing.

Where a node is cut off, the back end cannot end a container. Here the real ApplicationMaster runs with
a container manager that starts real agents and cannot end them.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import psutil
from job_samples import OWN_APP
from submitting import PROGRAMS, wait_for, words_of

from xlearning.am.runtime import Runtime, Services
from xlearning.cluster import base, credentials
from xlearning.cluster.local_containers import LocalContainerManager
from xlearning.fs import FileSystems
from xlearning.history.store import HistoryWriter
from xlearning.job import AppState, ContainerState, JobSpec, OutputSpec, RoleSpec, to_dict


class CutOff(LocalContainerManager):
    """A back end that has lost the way to its nodes."""

    def kill(self, container_id: str) -> None:
        """Nothing reaches the container."""

    def release(self, container_id: str) -> None:
        """Nothing reaches the container."""


class Bench:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.storage = FileSystems("file://")
        self.staging = root / "staging" / OWN_APP
        credentials.create(self.staging / "credentials")
        self.job = JobSpec(
            app_id=OWN_APP,
            app_name="stale",
            app_type="TENSORFLOW",
            user="alice",
            command=(sys.executable, str(PROGRAMS / "act.py"), "write:model/x=old", f"wait:{root}/go"),
            roles=(RoleSpec("ps", 1, 512, 1), RoleSpec("worker", 1, 512, 1)),
            staging=self.staging.as_uri(),
            default_fs="file://",
            outputs=(OutputSpec((root / "out").as_uri(), "model"),),
            properties={"xlearning.agent.timeout": "5s", "xlearning.agent.reconnect.timeout": "6s"},
        )
        (self.staging / "job.json").write_text(json.dumps(to_dict(self.job)))
        app_dir = root / "apps" / OWN_APP
        environ = {
            **os.environ,
            base.ENV_APP_ID: OWN_APP,
            base.ENV_STAGING: self.job.staging,
            base.ENV_CREDENTIALS: str(self.staging / "credentials"),
            base.ENV_HOST: "127.0.0.1",
            base.ENV_BACKEND: "local",
        }
        self.manager = CutOff(app_dir, self.job, environ=environ)

    def runtime(self) -> Runtime:
        certificate, key = credentials.load(self.staging / "credentials")
        history = HistoryWriter(self.storage, (self.root / "history").as_uri())
        services = Services(self.manager, self.storage, history, certificate, key, "127.0.0.1", False)
        return Runtime(self.job, 1, services)

    def agents(self) -> list[psutil.Process]:
        children = psutil.Process().children()
        return [child for child in children if words_of(child)[-1:] == ["agent"]]

    def reap(self) -> None:
        """Collect the exit status of agents that have ended: nobody polls once the job is over."""
        wait_for(lambda: not self.agents(), 20)
        self.manager.poll()


async def until(what: object, seconds: float = 30.0) -> None:
    await asyncio.to_thread(wait_for, what, seconds)


def test_a_given_up_agent_that_wakes_up_changes_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    async def story() -> None:
        runtime = bench.runtime()
        running = asyncio.create_task(runtime.run())
        await until(lambda: [c.state for c in runtime.snapshot.containers] == [ContainerState.RUNNING] * 2)
        worker = next(c.id for c in runtime.snapshot.containers if c.role == "worker")
        (stalled,) = [a for a in bench.agents() if a.environ()["CONTAINER_ID"] == worker]
        stalled.send_signal(signal.SIGSTOP)
        await until(lambda: lost(runtime, worker))
        (tmp_path / "go").touch()  # the program of the lost worker ends with code 0
        stalled.send_signal(signal.SIGCONT)
        outcome = await asyncio.wait_for(running, 60)
        assert outcome is AppState.FAILED
        assert "silent for 5 s" in runtime.snapshot.reason
        assert lost(runtime, worker)

    try:
        asyncio.run(story())
        assert not (tmp_path / "out").exists()
        wait_for(lambda: not bench.agents(), 20)
    finally:
        for agent in bench.agents():
            agent.kill()
        bench.reap()


def lost(runtime: Runtime, container_id: str) -> bool:
    return any(c.id == container_id and c.state is ContainerState.LOST for c in runtime.snapshot.containers)
