"""An attempt that goes on although a newer one has begun, as on a lost node, takes nothing from it."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

from job_samples import OWN_APP

from xlearning.am.runtime import Runtime, Services
from xlearning.cluster import base, credentials
from xlearning.cluster.local_containers import LocalContainerManager
from xlearning.fs import FileSystems
from xlearning.history.store import HistoryWriter
from xlearning.job import JobSpec, OutputSpec, RoleSpec, to_dict


def test_it_ends_without_a_trace(tmp_path: Path) -> None:
    staging, output = tmp_path / "staging" / OWN_APP, tmp_path / "out"
    credentials.create(staging / "credentials")
    job = JobSpec(
        *(OWN_APP, "n", "T", "me", ("true",), (RoleSpec("worker", 0, 512, 1),), staging.as_uri(), "file://"),
        outputs=(OutputSpec(output.as_uri(), "model"),),
        properties={"xlearning.app.max.attempts": "2"},
    )
    (staging / "job.json").write_text(json.dumps(to_dict(job)))
    theirs = output / "_temporary" / f"{OWN_APP}_000002"
    folder = tmp_path / "apps" / OWN_APP
    (folder / "am" / "1").mkdir(parents=True)
    environ = {
        **os.environ,
        base.ENV_APP_ID: OWN_APP,
        base.ENV_STAGING: job.staging,
        base.ENV_CREDENTIALS: str(staging / "credentials"),
        base.ENV_HOST: "127.0.0.1",
        base.ENV_BACKEND: "local",
    }
    storage = FileSystems("file://")
    manager = LocalContainerManager(folder, job, environ=environ)

    async def run() -> bool:
        history = HistoryWriter(storage, (tmp_path / "history").as_uri())
        certificate, key = credentials.load(staging / "credentials")
        runtime = Runtime(job, 1, Services(manager, storage, history, certificate, key, "127.0.0.1", False))
        running = asyncio.create_task(runtime.run())
        while not (staging / "commit-1").exists():
            await asyncio.sleep(0.01)
        theirs.mkdir(parents=True)
        (staging / "commit-1").rename(staging / "fenced-1")
        (staging / "commit-2").mkdir()
        runtime.request_kill("alice", "enough")
        await running
        return runtime.retry

    assert asyncio.run(run())
    assert theirs.exists()
    assert staging.exists()
