"""The driver's side: a JSON object a line comes in, an answer a line goes out. Standard library only."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Closing(Protocol):
    async def close(self) -> None: ...


class Driver(Closing, Protocol):
    """What a library under measurement has to offer; the others of these it may, under these names.

    snapshot() → {"ms", "text"} · evaluate(expression) → {"ms", "value"} · click(name), of a button, and
    fill(name, value), of a text box, both by accessible name → {"ms"}, and {"acted_ms", "settled_ms"} where the library
    tells them apart · form(values, button): fills all and clicks, if a button is named → as click · search(word),
    find(selector, attribute, most) → {"ms", "total"} · markdown() → {"ms", "text"} · tabs(urls, button): a snapshot and
    a click in each, all at once → as click · processes() → {"pids"}: whose memory counts, with all that they started;
    else this one's.
    With "row": {"times", "within_s"} a request is done so often, without a pause between; the answer is a list.
    `connect` answers {"ms"} where the driver only passes on to a process that it starts: then its own start is no cost.
    """

    async def connect(self, endpoint: str) -> dict[str, Any] | None: ...

    async def attach(self, url: str) -> dict[str, Any] | None:
        """Goes on with the open tab of this address."""


async def timed(work: Awaitable[T]) -> tuple[float, T]:
    """Milliseconds, and what came of it."""
    started = time.perf_counter()
    result = await work
    return (time.perf_counter() - started) * 1000, result


class Stopwatch:
    """Times pieces of work by their names."""

    def __init__(self) -> None:
        self.took_ms: dict[str, list[float]] = defaultdict(list)

    async def timed(self, name: str, work: Awaitable[T]) -> T:
        """What came of the work; how long it took is added to those of that name."""
        took_ms, result = await timed(work)
        self.took_ms[name].append(took_ms)
        return result


async def serve(driver: Closing) -> None:
    """A Driver, or whatever has methods that answer with JSON, until standard input ends."""
    loop = asyncio.get_running_loop()
    # What a library prints goes to standard error: standard output is for answers alone.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            request = json.loads(line)
            what = getattr(driver, request.pop("do"), None)
            row = request.pop("row", None)
            if what is None:
                answer: Any = {"lacks": True}
            elif row:
                answer = await in_a_row(what, row["times"], row["within_s"], request)
            else:
                answer = await what(**request)
            print(json.dumps(answer), file=answers, flush=True)
    finally:
        await driver.close()


async def in_a_row(
    what: Callable[..., Awaitable[dict[str, Any]]], times: int, within_s: float, arguments: dict[str, Any]
) -> list[dict[str, float]]:
    """The numbers of each answer, of calls one after the other; no more of them when the time is up."""
    until = time.monotonic() + within_s
    answers: list[dict[str, float]] = []
    while len(answers) < times and (not answers or time.monotonic() < until):
        answer = await what(**arguments)
        answers.append({name: value for name, value in answer.items() if isinstance(value, int | float)})
    return answers
