"""Containers, saves and snapshots of a job, as tests of what is shown need them."""

from __future__ import annotations

import os
from typing import Any

from xlearning.job import (
    AppState,
    BoardView,
    ContainerState,
    ContainerView,
    InputStrategy,
    OutputSpec,
    RoleSpec,
    SaveState,
    SaveView,
    Snapshot,
)

APP = "application_1700000000000_0001"
# For tests that start processes: these carry the id of their application, and what has the same one is ended
# with them. Tests that run in several processes must not meet.
OWN_APP = f"application_{1700000000000 + os.getpid()}_0001"


def container(number: int, state: ContainerState, **more: Any) -> ContainerView:
    values: dict[str, Any] = {"role": "worker", "index": number, "generation": 1, "host": f"node{number}"}
    return ContainerView(state=state, **{"id": f"c{number}", **values, **more})


def container_id(number: int, app_id: str = APP) -> str:
    """An id as YARN and the local back end give them."""
    return f"{app_id.replace('application', 'container')}_01_{number:06d}"


def snapshot(*containers: ContainerView, state: AppState = AppState.RUNNING, **more: Any) -> Snapshot:
    values: dict[str, Any] = {
        "app_id": APP,
        "app_name": "n",
        "app_type": "T",
        "user": "me",
        "attempt": 1,
        "phase": "",
        "reason": "",
        "version": 1,
        "submitted": 1.0,
        "started": 1.0,
        "finished": None,
        "progress": None,
        "command": ("x",),
        "roles": (RoleSpec("worker", 2, 1024, 1),),
        "inputs": (),
        "input_strategy": InputStrategy.DOWNLOAD,
        "outputs": (OutputSpec("file:///out", "m"),),
        "board": BoardView(False),
    }
    return Snapshot(state=state, containers=tuple(containers), **{**values, **more})


def save(number: int, state: SaveState, **more: Any) -> SaveView:
    values: dict[str, Any] = {"by": "me", "started": 1.0, "finished": None, "containers": 2, "done": 1}
    return SaveView(id=f"s{number}", paths=(f"file:///out/r{number}",), state=state, **{**values, **more})
