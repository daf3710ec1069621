"""Blocking calls of the ApplicationMaster and their time."""

from __future__ import annotations

import asyncio
import threading

import pytest

from xlearning.am.pools import CallTimeout, Pool


def test_one_that_hangs_is_told_and_costs_a_thread_only() -> None:
    held = threading.Event()

    async def run() -> int:
        pool = Pool("file system", 2, 60.0)
        with pytest.raises(CallTimeout, match=r"^the file system did not answer within 0\.01 s$"):
            await pool.run(held.wait, timeout=0.01)
        try:
            return await pool.run(lambda: 7)
        finally:
            held.set()
            pool.close()

    assert asyncio.run(run()) == 7


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError("a connection"), OSError(110, "timed out")])
def test_an_error_of_the_call_is_the_callers(error: Exception) -> None:
    def call() -> None:
        raise error

    async def run() -> None:
        pool = Pool("file system", 1, 60.0)
        try:
            await pool.run(call)
        finally:
            pool.close()

    with pytest.raises(type(error)) as caught:
        asyncio.run(run())
    assert caught.value.args == error.args
