"""Orders by a plain loop over Playwright: a snapshot with refs, the act that the policy wants, the next snapshot."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from playwright.async_api import Page, async_playwright

from bench.drivers import orders
from bench.drivers.loop import serve

_LOOKS_AGAIN_MS = 50
"""A page that has not loaded yet is looked at again after this time."""


class PlaywrightOrders:
    async def open(self, chrome: str, at_once: int) -> None:
        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(executable_path=chrome)

    async def orders(self, shop: str, model: str, first: int, count: int, at_once: int) -> dict[str, Any]:
        async def order(number: int) -> None:
            context = await self._browser.new_context()
            try:
                page = await context.new_page()
                await page.goto(shop)
                for act in orders.acts(number):
                    await _do(page, act)
                await _shown(page, orders.DONE)
            finally:
                await context.close()

        return await orders.carry_out(order, first, count, at_once)

    async def close(self) -> None:
        await self._browser.close()
        await self._playwright.stop()


async def _do(page: Page, act: orders.Act) -> None:
    ref = await _shown(page, rf'- {act.role} "{re.escape(act.name)}".* \[ref=(\w+)\]')
    element = page.locator(f"aria-ref={ref[1]}")
    if act.does == "click":
        await element.click()
    elif act.does == "fill":
        await element.fill(act.value)
    else:
        await element.select_option(label=act.value)


async def _shown(page: Page, pattern: str) -> re.Match[str]:
    """Where the snapshot has this, once it has."""
    while (found := re.search(pattern, await page.aria_snapshot(mode="ai"))) is None:
        await page.wait_for_timeout(_LOOKS_AGAIN_MS)
    return found


if __name__ == "__main__":
    asyncio.run(serve(PlaywrightOrders()))
