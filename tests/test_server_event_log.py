"""Events by number: readers at their own pace, and what is dropped when there is too much."""

from __future__ import annotations

import asyncio

from cdp_agent.server.streams import DROPPED, NumberedLog


def filled(count: int, most_bytes: int = 1 << 20) -> NumberedLog:
    log = NumberedLog(most_bytes)
    for number in range(1, count + 1):
        log.add("agent:step", b"%d" % number)
    return log


async def read(log: NumberedLog, after: int = 0) -> list[tuple[int, str, bytes]]:
    return [(event.number, event.kind, event.data) async for event in log.after(after)]


async def test_a_reader_gets_what_came_after() -> None:
    log = filled(3)
    log.close()

    assert await read(log, 1) == [(2, "agent:step", b"2"), (3, "agent:step", b"3")]
    assert await read(log, 3) == []
    assert await read(log, 77) == []


async def test_readers_wait_for_what_comes() -> None:
    log = filled(1)
    readers = [asyncio.create_task(read(log)) for _ in range(3)]
    await asyncio.sleep(0)

    log.add("agent:step", b"2")
    await asyncio.sleep(0)
    log.add("agent:step", b"3")
    log.close()

    assert [[number for number, _, _ in got] for got in await asyncio.gather(*readers)] == [[1, 2, 3]] * 3


async def test_the_oldest_are_dropped_and_a_late_reader_is_told_so() -> None:
    log = filled(9, most_bytes=3)
    log.close()

    assert await read(log, 2) == [
        (6, DROPPED, b'{"first":3,"last":6}'),
        (7, "agent:step", b"7"),
        (8, "agent:step", b"8"),
        (9, "agent:step", b"9"),
    ]
    assert log.size == 3


async def test_one_that_is_too_large_is_held_alone() -> None:
    log = filled(1, most_bytes=3)

    log.add("agent:step", b"x" * 10)
    log.close()

    assert [number for number, _, _ in await read(log, 1)] == [2]
