"""Blocking calls beside the event loop, each in a daemon thread of its own.

The interpreter waits at its end for the threads of an executor, and a call into a file system can
hang for minutes: a container must be able to leave all the same.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def call(function: Callable[[], T], *, name: str) -> T:
    """Run ``function`` in a new daemon thread called ``name`` and wait for its result.

    Cancelling the caller does not end the thread; its result is then dropped.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = function()
        except BaseException as problem:  # noqa: BLE001 - handed to the caller, whatever it is
            error = problem
        if not loop.is_closed():
            try:
                loop.call_soon_threadsafe(deliver, result, error)
            except RuntimeError:
                # The loop was closed between the two calls: nobody waits any more.
                return

    threading.Thread(target=run, name=name, daemon=True).start()
    return await future
