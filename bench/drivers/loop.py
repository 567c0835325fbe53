"""The driver's side: a JSON object a line comes in, an answer a line goes out. Standard library only."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Driver(Protocol):
    """What a library under measurement has to offer."""

    async def connect(self, endpoint: str) -> None: ...

    async def attach(self, url: str) -> None:
        """Goes on with the open tab of this address."""

    async def snapshot(self) -> dict[str, Any]:
        """{"ms", "text"}."""

    async def evaluate(self, expression: str) -> dict[str, Any]:
        """{"ms", "value"}."""

    async def click(self, name: str) -> dict[str, Any]:
        """Of a button, by its accessible name: {"ms"}, and {"acted_ms", "settled_ms"} where the library tells them."""

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        """Of a text box, by its accessible name: as `click`."""

    async def close(self) -> None: ...


async def timed(work: Awaitable[T]) -> tuple[float, T]:
    """Milliseconds, and what came of it."""
    started = time.perf_counter()
    result = await work
    return (time.perf_counter() - started) * 1000, result


async def serve(driver: Driver) -> None:
    """Until standard input ends."""
    loop = asyncio.get_running_loop()
    try:
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            request = json.loads(line)
            answer = await getattr(driver, request.pop("do"))(**request)
            print(json.dumps(answer), flush=True)
    finally:
        await driver.close()
