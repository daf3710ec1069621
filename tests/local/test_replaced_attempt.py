"""An attempt that goes on although a newer one has begun, as on a lost node, takes nothing from it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from job_samples import OWN_APP
from local.attempt import Attempt, staging_of


def test_it_ends_without_a_trace(tmp_path: Path) -> None:
    staging = staging_of(tmp_path)
    attempt = Attempt(tmp_path, 0, properties={"xlearning.app.max.attempts": "2"})
    theirs = tmp_path / "out" / "_temporary" / f"{OWN_APP}_000002"

    async def run() -> bool:
        runtime = attempt.runtime()
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
