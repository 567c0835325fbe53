"""How origins are gone about, and how many tasks a machine bears."""

from __future__ import annotations

import asyncio
import itertools
import time

import httpx
import pytest

from cdp_agent.browser.politeness import Politeness, Robots
from cdp_agent.jobs.load import Concurrency, Measured

A, B = "http://a.example", "http://b.example"
MB_OF_ALL = 16_000.0


async def test_no_more_visitors_are_at_an_origin_than_may_be() -> None:
    polite = Politeness(per_origin=2)
    at: set[str] = set()
    most = 0

    async def visit(visitor: str) -> None:
        nonlocal most
        await polite.visit(visitor, A, A)
        at.add(visitor)
        most = max(most, len(at))
        await asyncio.sleep(0)
        at.discard(visitor)
        await polite.leave(visitor)

    await asyncio.gather(*(visit(f"v{number}") for number in range(9)))

    assert most == 2


async def test_whoever_goes_elsewhere_leaves_first() -> None:
    polite = Politeness(per_origin=1)
    await polite.visit("one", A, A)
    await polite.visit("two", B, B)

    async with asyncio.timeout(5):
        await asyncio.gather(polite.visit("one", B, B), polite.visit("two", A, A))


async def test_documents_of_an_origin_are_apart() -> None:
    polite = Politeness(delay_s=0.05)
    visits: list[tuple[str, float]] = []

    async def visit(visitor: str, origin: str) -> None:
        await polite.visit(visitor, origin, origin)
        visits.append((origin, time.monotonic()))

    await asyncio.gather(*(visit(f"v{number}", A) for number in range(4)), visit("w", B))

    times = [at for origin, at in visits if origin == A]
    assert all(later - earlier > 0.049 for earlier, later in itertools.pairwise(times))
    assert [origin for origin, _ in visits].index(B) < 2


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        (httpx.Response(200, text="User-agent: *\nDisallow: /private"), True),
        (httpx.Response(200, text="User-agent: cdp-agent\nDisallow: /"), False),
        (httpx.Response(200, text="User-agent: *\nDisallow: /*/b$"), False),
        (httpx.Response(404), True),
        (httpx.Response(500), False),
        (httpx.Response(503), False),
        (None, False),
    ],
    ids=["another path", "our name", "a pattern", "none there", "the server fails", "it is overloaded", "unreachable"],
)
async def test_what_robots_txt_allows(answer: httpx.Response | None, allowed: bool) -> None:
    asked: list[str] = []

    def serve(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if answer is None:
            raise httpx.ConnectError("nobody there")
        return answer

    robots = Robots(httpx.MockTransport(serve))

    assert [await robots.allows(A, f"{A}/a/b") for _ in range(2)] == [allowed] * 2
    assert asked == [f"{A}/robots.txt"]
    await robots.close()


async def test_the_delay_that_robots_txt_wants() -> None:
    robots = Robots(httpx.MockTransport(lambda _: httpx.Response(200, text="User-agent: *\nCrawl-delay: 2.5")))

    assert await robots.delay_s(A) == 2.5
    await robots.close()


def measured(available_mb: float, idle_s: float, at_s: float) -> Measured:
    return Measured(available_mb, MB_OF_ALL, idle_s, at_s)


def test_it_begins_by_cores_and_memory() -> None:
    assert Concurrency(None, 4, measured(12_000, 0, 0)).now == 4
    assert Concurrency(None, 4, measured(2_500, 0, 0)).now == 2
    assert Concurrency(None, 4, measured(100, 0, 0)).now == 1
    assert Concurrency(7, 4, measured(100, 0, 0)).now == 7


def test_there_are_more_while_cores_are_idle_and_memory_is_free() -> None:
    of = Concurrency(None, 2, measured(12_000, 0, 0))
    idle_s = 0.0
    for step in range(1, 20):
        idle_s += 1_000
        of.adapt(measured(11_000, idle_s, step), of.now)

    assert of.now == 8  # four for each core


def test_there_are_no_more_where_not_all_are_used() -> None:
    of = Concurrency(None, 2, measured(12_000, 0, 0))

    assert of.adapt(measured(11_000, 1_000, 1), 1) == 2


def test_there_are_fewer_when_memory_runs_short() -> None:
    of = Concurrency(None, 4, measured(12_000, 0, 0))

    assert [of.adapt(measured(1_000, 0, step), of.now) for step in (1, 2, 3, 4)] == [3, 2, 1, 1]


@pytest.mark.parametrize(("memory_mb", "expected"), [(12_000, [7, 6, 5, 4, 4]), (2_600, [3, 3, 3, 3, 3])])
def test_busy_cores_lower_the_number_to_one_for_each_and_never_raise_it(memory_mb: float, expected: list[int]) -> None:
    of = Concurrency(None, 4, measured(memory_mb, 0, 0))
    for step in range(4 if memory_mb > 10_000 else 0):
        of.adapt(measured(11_000, 1_000 * (step + 1), step + 1), of.now)
    idle_s = 4_000.0

    assert [of.adapt(measured(memory_mb, idle_s, 10 + step), of.now) for step in range(5)] == expected


def test_a_number_that_was_given_stays() -> None:
    of = Concurrency(5, 4, measured(12_000, 0, 0))

    assert of.adapt(measured(100, 0, 1), 5) == 5
