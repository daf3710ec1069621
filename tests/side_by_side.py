"""Runs scenes of one test at the same time: most of a job's time on a cluster is waiting."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

Scene = Callable[[], None]

AT_ONCE = 4


def side_by_side(scenes: Mapping[str, Scene], at_once: int = AT_ONCE) -> None:
    """Run every scene to its end; fail with all that failed, by name.

    ``XLEARNING_TEST_SCENES=a,b`` names the only ones to run, for who looks for a fault.
    """
    chosen = os.environ.get("XLEARNING_TEST_SCENES")
    wanted = {name: scene for name, scene in scenes.items() if not chosen or name in chosen.split(",")}
    with ThreadPoolExecutor(at_once) as threads:
        running = {name: threads.submit(scene) for name, scene in wanted.items()}
    troubles = {name: future.exception() for name, future in running.items()}
    texts = [
        f"---- {name} ----\n{''.join(traceback.format_exception(error))}"
        for name, error in troubles.items()
        if error is not None
    ]
    if texts:
        pytest.fail("\n".join(texts), pytrace=False)
