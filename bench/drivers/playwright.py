"""Playwright for Python, attached to the running Chrome. Run in an environment with `playwright`."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from playwright.async_api import Browser, Locator, Page, async_playwright

from bench.drivers.loop import serve, timed


class PlaywrightDriver:
    page: Page
    _browser: Browser

    async def connect(self, endpoint: str) -> None:
        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.connect_over_cdp(endpoint)

    async def attach(self, url: str) -> None:
        self.page = next(page for page in self._browser.contexts[0].pages if page.url == url)

    async def snapshot(self) -> dict[str, Any]:
        ms, text = await timed(self.page.aria_snapshot(mode="ai", timeout=600_000))
        return {"ms": ms, "text": text}

    async def evaluate(self, expression: str) -> dict[str, Any]:
        ms, value = await timed(self.page.evaluate(expression))
        return {"ms": ms, "value": value}

    async def click(self, name: str) -> dict[str, Any]:
        ms, _ = await timed((await self._by_ref("button", name)).click())
        return {"ms": ms}

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        ms, _ = await timed((await self._by_ref("textbox", name)).fill(value))
        return {"ms": ms}

    async def _by_ref(self, role: str, name: str) -> Locator:
        """As its MCP server does: by the ref of the last snapshot, so that no search by role is in the figure."""
        found = re.search(rf'- {role} "{name}".* \[ref=(\w+)\]', await self.page.aria_snapshot(mode="ai"))
        assert found, f"no {role} {name!r} in the snapshot"
        return self.page.locator(f"aria-ref={found[1]}")

    async def close(self) -> None:
        await self._browser.close()
        await self._playwright.stop()


if __name__ == "__main__":
    asyncio.run(serve(PlaywrightDriver()))
