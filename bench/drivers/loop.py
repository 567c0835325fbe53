"""The driver's side: a JSON object a line comes in, an answer a line goes out. Standard library only."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Driver(Protocol):
    """What a library under measurement has to offer; the others of these it may, under these names.

    snapshot() → {"ms", "text"} · evaluate(expression) → {"ms", "value"} · click(name), of a button, and
    fill(name, value), of a text box, both by accessible name → {"ms"}, and {"acted_ms", "settled_ms"} where the library
    tells them apart · form(values, button): fills all and clicks → as click · search(word), find(selector, attribute,
    most) → {"ms", "total"} · markdown() → {"ms", "text"} · tabs(urls, button): a snapshot and a click in each, all at
    once → as click · processes() → {"pids"}: whose memory counts, with all that they started; else this one's.
    `connect` answers {"ms"} where the driver only passes on to a process that it starts: then its own start is no cost.
    """

    async def connect(self, endpoint: str) -> dict[str, Any] | None: ...

    async def attach(self, url: str) -> dict[str, Any] | None:
        """Goes on with the open tab of this address."""

    async def close(self) -> None: ...


async def timed(work: Awaitable[T]) -> tuple[float, T]:
    """Milliseconds, and what came of it."""
    started = time.perf_counter()
    result = await work
    return (time.perf_counter() - started) * 1000, result


async def serve(driver: Driver) -> None:
    """Until standard input ends."""
    loop = asyncio.get_running_loop()
    # What a library prints goes to standard error: standard output is for answers alone.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            request = json.loads(line)
            what = getattr(driver, request.pop("do"), None)
            answer = await what(**request) if what else {"lacks": True}
            print(json.dumps(answer), file=answers, flush=True)
    finally:
        await driver.close()
