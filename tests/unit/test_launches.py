"""How launch specifications reach the agents: in the stream, or as files where they are long."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from xlearning.am.core import actions as act
from xlearning.am.core import events as ev
from xlearning.am.inputs.plan import InputPlan
from xlearning.am.launch import type_of
from xlearning.am.launches import Launches
from xlearning.am.pools import Pool
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.job import WORKER, InputStrategy, JobSpec, Member, RoleSpec, Task
from xlearning.proto import xlearning_pb2 as pb

NO_INPUT = InputPlan(InputStrategy.DOWNLOAD, {}, ())
LONG = "x" * (1 << 20)


def launched(staging: Path, word: str) -> list[pb.AmMessage | ev.Event]:
    """What is sent and told when a program with a certain argument is launched."""
    job = JobSpec(
        app_id="application_1_0001",
        app_name="",
        app_type="TENSORFLOW",
        user="",
        command=("train", word),
        roles=(RoleSpec(WORKER, 1, 1, 1),),
        staging=staging.as_uri(),
        default_fs="file://",
    )
    config = Config.from_properties({"xlearning.fs.retry.time": "0"})
    action = act.Launch("container_1", Task(WORKER, 0, 1), {WORKER: (Member("h", (1,)),)})
    seen: list[pb.AmMessage | ev.Event] = []

    async def run() -> None:
        tasks: list[asyncio.Task[None]] = []

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            tasks.append(asyncio.ensure_future(work))

        pool = Pool("storage", 1, 60.0)
        launches = Launches(
            job,
            config,
            1,
            type_of(job),
            FileSystems("file://"),
            pool,
            send=lambda _, message: seen.append(message),
            post=seen.append,
            spawn=spawn,
        )
        launches.launch(action, NO_INPUT)
        await asyncio.gather(*tasks)
        launches.close()
        pool.close()

    asyncio.run(run())
    return seen


def test_a_short_one_is_sent(tmp_path: Path) -> None:
    [message] = launched(tmp_path, "short")
    assert isinstance(message, pb.AmMessage)
    assert json.loads(message.launch.spec_json)["command"] == ["train", "short"]
    assert message.generation == 1
    assert not list(tmp_path.iterdir())


def test_a_long_one_is_put_into_a_file(tmp_path: Path) -> None:
    [message] = launched(tmp_path, LONG)
    assert isinstance(message, pb.AmMessage)
    path = tmp_path / "launch" / "container_1.json"
    assert message.launch.file == path.as_uri()
    assert json.loads(path.read_text())["command"] == ["train", LONG]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "launch").write_text("no folder")
    [event] = launched(tmp_path, LONG)
    assert isinstance(event, ev.LaunchFailed)
    assert event.reason.startswith("worker:0 cannot be launched: ")
    assert str(tmp_path / "launch") in event.reason
