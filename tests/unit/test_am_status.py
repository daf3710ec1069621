"""Long polls for snapshots: nobody who follows misses the last one."""

from __future__ import annotations

import asyncio

from xlearning.am.status import StatusSource

_LONG = 30.0  # seconds; far more than any of these tests takes


def test_who_waits_gets_the_newer_one() -> None:
    async def scene() -> str:
        source = StatusSource()
        await source.publish(1, "one")
        waiting = asyncio.create_task(source.newer_than(1, _LONG, "client"))
        await asyncio.sleep(0)
        await source.publish(2, "two")
        return await waiting

    assert asyncio.run(scene()) == "two"


def test_the_last_one_waits_for_who_is_between_two_questions() -> None:
    async def scene() -> tuple[str, bool]:
        source = StatusSource()
        await source.publish(1, "one")
        await source.newer_than(0, _LONG, "client")
        last = asyncio.create_task(source.publish_last(2, "two", _LONG))
        await asyncio.sleep(0)
        before = last.done()
        found = await source.newer_than(1, _LONG, "client")
        await last
        return found, before

    assert asyncio.run(scene()) == ("two", False)


def test_the_last_one_does_not_wait_where_nobody_follows() -> None:
    async def scene() -> str:
        source = StatusSource()
        await source.publish(1, "one")
        await source.publish_last(2, "two", _LONG)
        return await source.newer_than(2, _LONG, "latecomer")

    assert asyncio.run(scene()) == "two"


def test_who_left_while_waiting_is_not_waited_for() -> None:
    async def scene() -> None:
        source = StatusSource()
        await source.publish(1, "one")
        gone = asyncio.create_task(source.newer_than(1, _LONG, "client"))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.wait({gone})
        await source.publish_last(2, "two", _LONG)

    asyncio.run(asyncio.wait_for(scene(), _LONG))


def test_nobody_is_told_that_it_was_the_last_one_before_it_is_there() -> None:
    async def scene() -> set[str]:
        source = StatusSource()
        await source.publish(1, "one")
        asked = [asyncio.create_task(source.newer_than(1, _LONG, f"client {n}")) for n in range(20)]
        await asyncio.sleep(0)
        last = asyncio.create_task(source.publish_last(2, "two", _LONG))
        asked += [asyncio.create_task(source.newer_than(1, _LONG, f"late {n}")) for n in range(20)]
        found = await asyncio.gather(*asked)
        await last
        return set(found)

    assert asyncio.run(scene()) == {"two"}
