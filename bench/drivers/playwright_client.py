"""The same as `our_client`, by Playwright over CDP: its acts answer that they are done, not what came of them."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable
from typing import Any

from playwright.async_api import async_playwright


async def run(endpoint: str, address: str, rounds: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = defaultdict(list)

    async def timed(name: str, doing: Awaitable[Any]) -> Any:
        begun = time.perf_counter()
        result = await doing
        took[name].append((time.perf_counter() - begun) * 1000)
        return result

    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(endpoint)
        context = browser.contexts[0]
        for turn in range(rounds):
            page = await timed("new page", context.new_page())
            await timed("goto", page.goto(address))
            body = page.locator("body")
            await timed("first view", body.aria_snapshot())
            await timed("view again", body.aria_snapshot())
            await page.evaluate("document.querySelector('p').textContent = 'changed'")
            await timed("view after a change", body.aria_snapshot())
            await timed("field", page.get_by_role("textbox", name="Name").fill(f"Ada {turn}"))
            await timed("key", page.keyboard.press("a"))
            await timed("click", page.get_by_role("button", name="Go").click())
            await timed("click that navigates", page.get_by_role("link", name="Next").click())
            await page.close()
    return took


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(sys.argv[1], sys.argv[2], int(sys.argv[3])))))
