"""A page's markup by Playwright, made Markdown by html2text and markdownify. Run where these three are installed."""

from __future__ import annotations

import asyncio
from typing import Any

import html2text
import markdownify
from playwright.async_api import Browser, Page, async_playwright

from bench.drivers.loop import serve, timed


class ConvertersDriver:
    page: Page
    _browser: Browser

    async def connect(self, endpoint: str) -> None:
        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.connect_over_cdp(endpoint)

    async def attach(self, url: str) -> None:
        self.page = next(page for page in self._browser.contexts[0].pages if page.url == url)

    async def html2text(self) -> dict[str, Any]:
        async def convert() -> str:
            return str(html2text.html2text(await self.page.content(), baseurl=self.page.url, bodywidth=0))

        ms, text = await timed(convert())
        return {"ms": ms, "text": text}

    async def markdownify(self) -> dict[str, Any]:
        async def convert() -> str:
            return str(markdownify.markdownify(await self.page.content()))

        ms, text = await timed(convert())
        return {"ms": ms, "text": text}

    async def content(self) -> dict[str, Any]:
        ms, markup = await timed(self.page.content())
        return {"ms": ms, "text": markup}

    async def text(self) -> dict[str, Any]:
        ms, text = await timed(self.page.inner_text("body"))
        return {"ms": ms, "text": text}

    async def close(self) -> None:
        await self._browser.close()
        await self._playwright.stop()


if __name__ == "__main__":
    asyncio.run(serve(ConvertersDriver()))  # type: ignore[arg-type]  # what it is asked for is not what a Driver does
