"""What every side decides in an order at the demo shop, act by act, and many orders at once. Standard library only."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

DONE = "Thank you"
"""What the page after the last act shows."""
PATIENCE_S = 120.0
"""An order that takes longer has failed."""


class Act(NamedTuple):
    """`does` is "click", "fill" or "select"; role and name are those of accessibility."""

    does: str
    role: str
    name: str
    value: str = ""


def task(number: int) -> str:
    return f"Order two blue enamel mugs for {customer(number)}."


def customer(number: int) -> str:
    return f"Customer {number}"


def acts(number: int) -> list[Act]:
    """From the first page of the shop on; no two orders have the same number."""
    return [
        Act("click", "link", "Enamel mug, blue"),
        Act("fill", "spinbutton", "Quantity", "2"),
        Act("click", "button", "Add to cart"),
        Act("click", "link", "Go to checkout"),
        Act("fill", "textbox", "Full name", customer(number)),
        Act("fill", "textbox", "Street", "Storgata 5"),
        Act("fill", "textbox", "City", "Oslo"),
        Act("select", "combobox", "Country", "Norway"),
        Act("click", "radio", "Invoice, 14 days"),
        Act("click", "checkbox", "I accept the terms of sale"),
        Act("click", "button", "Place order"),
    ]


async def carry_out(order: Callable[[int], Awaitable[None]], first: int, count: int, at_once: int) -> dict[str, Any]:
    """Orders with these numbers, and of those that raised, which and why: {"ms", "failed"}."""
    free = asyncio.Semaphore(at_once)

    async def one(number: int) -> None:
        async with free, asyncio.timeout(PATIENCE_S):
            await order(number)

    started = time.perf_counter()
    ended = await asyncio.gather(*map(one, range(first, first + count)), return_exceptions=True)
    ms = (time.perf_counter() - started) * 1000
    why = [error and f"{type(error).__name__}: {error}".rstrip(": ").splitlines()[0] for error in ended]
    return {"ms": ms, "failed": [(first + place, text) for place, text in enumerate(why) if text]}
