"""A job for the page's tests: a source whose snapshot the test changes at will."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Mapping
from typing import Any

from xlearning.cluster.base import LogChunk
from xlearning.job import (
    AppState,
    BoardView,
    ContainerState,
    ContainerView,
    InputStrategy,
    InputView,
    OutputSpec,
    RoleSpec,
    SaveState,
    SaveView,
    Snapshot,
)

MIB = 1024 * 1024
BEGIN = 1_732_900_000.0
APP = "application_1732900000000_0001"


def container_id(number: int) -> str:
    return f"container_1732900000000_0001_01_{number:06d}"


def container(number: int, role: str = "worker", index: int | None = 0, **changes: Any) -> ContainerView:
    """A running container; ``changes`` replaces any of its fields."""
    view = ContainerView(
        id=container_id(number),
        role=role,
        index=index,
        generation=1,
        host=f"node{number % 40:02d}.example.org",
        state=ContainerState.RUNNING,
        chief=role == "worker" and index == 0,
        started=BEGIN + 12,
        progress=0.25 if role == "worker" else None,
        cpu_percent=93.4,
        memory_bytes=412 * MIB,
        memory_limit_bytes=1024 * MIB,
        input_files=2 if role == "worker" else 0,
    )
    return dataclasses.replace(view, **changes)


def job(**changes: Any) -> Snapshot:
    """A running job of two workers and one parameter server; ``changes`` replaces any of its fields."""
    snapshot = Snapshot(
        app_id=APP,
        app_name="mnist-ps",
        app_type="TENSORFLOW",
        user="alice",
        attempt=1,
        state=AppState.RUNNING,
        phase="running",
        reason="",
        version=1,
        submitted=BEGIN,
        started=BEGIN + 2,
        finished=None,
        progress=0.25,
        command=("python", "train.py", "--data", "data", "--model", "model", "--epochs", "20"),
        roles=(RoleSpec("ps", 1, 1024, 1), RoleSpec("worker", 2, 2048, 2)),
        containers=(container(2, "ps"), container(3), container(4, index=1)),
        inputs=(
            InputView("data", ("hdfs://nn:9000/data/mnist/part-*", "hdfs://nn:9000/extra"), 4, 9_437_184),
        ),
        input_strategy=InputStrategy.PLACEHOLDER,
        outputs=(OutputSpec("hdfs://nn:9000/user/alice/model", "model"),),
        board=BoardView(True, "http://node03.example.org:6006/", "eventLog"),
    )
    return dataclasses.replace(snapshot, **changes)


def failed_job() -> Snapshot:
    """A job whose second worker ended with exit code 3."""
    lines = (
        "epoch 3 step 120 loss 0.4121",
        "Traceback (most recent call last):",
        '  File "train.py", line 88, in <module>',
        "    main()",
        '  File "train.py", line 61, in main',
        "    batch = next(batches)",
        "ValueError: cannot reshape array of size 783 into shape (28,28)",
    )
    stopped = {"state": ContainerState.STOPPED, "finished": BEGIN + 75, "reason": "another container failed"}
    return job(
        state=AppState.FAILED,
        phase="failed",
        reason="worker:1 on node04.example.org failed with exit code 3",
        finished=BEGIN + 76,
        progress=0.41,
        board=BoardView(True, "", "eventLog", "TensorBoard has ended with its container."),
        saves=(save(2, SaveState.PARTIAL), save(1)),
        save_note="the programs have ended",
        containers=(
            container(2, "ps", exit_code=143, **stopped),
            container(3, exit_code=143, **stopped),
            container(
                4,
                index=1,
                state=ContainerState.FAILED,
                exit_code=3,
                finished=BEGIN + 73,
                reason="the program ended with exit code 3",
                last_lines=lines,
            ),
        ),
    )


def large_job(count: int, *, step: int = 0) -> Snapshot:
    """A job of ``count`` containers in many states; ``step`` moves its numbers."""
    ps = max(1, count // 10)
    states = (*(ContainerState.RUNNING,) * 6, ContainerState.LAUNCHING, ContainerState.SUCCEEDED)

    def one(n: int) -> ContainerView:
        role, index = ("ps", n) if n < ps else ("worker", n - ps)
        state = states[n % 8] if role == "worker" else ContainerState.RUNNING
        return container(
            n + 2,
            role,
            index,
            state=state,
            started=None if state is ContainerState.LAUNCHING else BEGIN + 10 + n % 7,
            finished=BEGIN + 900 + n if state is ContainerState.SUCCEEDED else None,
            exit_code=0 if state is ContainerState.SUCCEEDED else None,
            progress=None if role == "ps" else ((n * 37 + step) % 100) / 100,
            cpu_percent=float((n * 53 + step * 7) % 400),
            memory_bytes=((n * 71 + step * 3) % 1000 + 20) * MIB,
        )

    return job(
        containers=tuple(one(n) for n in range(count)),
        roles=(RoleSpec("ps", ps, 1024, 1), RoleSpec("worker", count - ps, 2048, 2)),
        progress=0.4,
    )


def save(number: int, state: SaveState = SaveState.SUCCEEDED, **changes: Any) -> SaveView:
    """A save of two containers; ``changes`` replaces any of its fields."""
    save_id = f"2024_11_29_18_00_{number:02d}"
    done = {SaveState.SUCCEEDED: 2, SaveState.FAILED: 0}.get(state, 1)
    view = SaveView(
        id=save_id,
        paths=(f"hdfs://nn:9000/user/alice/model/interResult_{save_id}",),
        state=state,
        by="alice",
        started=BEGIN + 60 + number,
        finished=BEGIN + 62 + number if state.final else None,
        containers=2,
        done=done,
        files=3 * done,
        size=6 * MIB * done,
        failures=("worker:1 (c on h): disk full",) if state in (SaveState.PARTIAL, SaveState.FAILED) else (),
    )
    return dataclasses.replace(view, **changes)


class SampleSource:
    """Holds a snapshot and logs; every change makes a new version."""

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        self._lock = threading.Lock()
        self._snapshot = snapshot or job()
        self.logs: dict[tuple[str, str], bytes] = {}
        self.kills: list[str] = []
        self.kill_answer = (True, "The job is being stopped.")
        self.savers: list[str] = []
        self.save_answer = (True, "the output is being saved", "2024_11_29_18_00_00")

    def reset(self) -> None:
        """Back to the sample job, under a new version."""
        self.logs.clear()
        self.kills.clear()
        self.kill_answer = (True, "The job is being stopped.")
        self.savers.clear()
        self.save_answer = (True, "the output is being saved", "2024_11_29_18_00_00")
        self.set(job())

    def set(self, snapshot: Snapshot) -> None:
        with self._lock:
            self._snapshot = dataclasses.replace(snapshot, version=self._snapshot.version + 1)

    def change(self, change: Callable[[Snapshot], Snapshot]) -> None:
        self.set(change(self.snapshot()))

    def write(self, number: int, name: str, text: bytes) -> None:
        with self._lock:
            key = (container_id(number), name)
            self.logs[key] = self.logs.get(key, b"") + text

    def snapshot(self) -> Snapshot:
        with self._lock:
            return self._snapshot

    def log_files(self, container_id: str) -> Mapping[str, int]:
        with self._lock:
            return {name: len(text) for (owner, name), text in self.logs.items() if owner == container_id}

    def read_log(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:
        with self._lock:
            if (container_id, name) not in self.logs:
                raise FileNotFoundError(name)
            text = self.logs[container_id, name]
        piece = text[offset : offset + limit]
        return LogChunk(piece.decode(errors="replace"), offset, offset + len(piece), len(text))

    def request_kill(self, viewer: str) -> tuple[bool, str]:
        self.kills.append(viewer)
        return self.kill_answer

    def request_save(self, viewer: str) -> tuple[bool, str, str]:
        self.savers.append(viewer)
        return self.save_answer
