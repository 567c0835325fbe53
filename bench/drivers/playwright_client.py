"""The same as `our_client`, by Playwright over CDP: its acts answer that they are done, not what came of them."""

from __future__ import annotations

import asyncio
import json
import sys

from playwright.async_api import async_playwright

from bench.drivers.loop import Stopwatch


async def run(endpoint: str, address: str, rounds: int) -> dict[str, list[float]]:
    watch = Stopwatch()
    timed = watch.timed
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
    return watch.took_ms


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(sys.argv[1], sys.argv[2], int(sys.argv[3])))))
