"""cdp_agent, attached to the running Chrome."""

from __future__ import annotations

import asyncio
from typing import Any

from bench.drivers.loop import serve, timed
from cdp_agent import Browser
from cdp_agent.page.page import Page


class OurDriver:
    page: Page
    _browser: Browser

    async def connect(self, endpoint: str) -> None:
        self._browser = await Browser.connect(endpoint)

    async def attach(self, url: str) -> None:
        self.page = next(page for page in self._browser.pages if page.url == url)

    async def snapshot(self) -> dict[str, Any]:
        ms, snapshot = await timed(self.page.snapshot())
        return {"ms": ms, "text": snapshot.text, "omitted": snapshot.omitted}

    async def evaluate(self, expression: str) -> dict[str, Any]:
        ms, value = await timed(self.page.evaluate(expression))
        return {"ms": ms, "value": value}

    async def click(self, name: str) -> dict[str, Any]:
        ms, receipt = await timed(self.page.click(await self._ref("button", name)))
        return {"ms": ms, "acted_ms": receipt.acted_ms, "settled_ms": receipt.settled_ms}

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        ms, receipt = await timed(self.page.fill(await self._ref("textbox", name), value))
        return {"ms": ms, "acted_ms": receipt.acted_ms, "settled_ms": receipt.settled_ms}

    async def _ref(self, role: str, name: str) -> str:
        refs = (await self.page.snapshot()).refs
        return next(ref for ref, element in refs.items() if (element.role, element.name) == (role, name))

    async def close(self) -> None:
        await self._browser.close()


if __name__ == "__main__":
    asyncio.run(serve(OurDriver()))
