"""A page's markup by Playwright, made Markdown by html2text and markdownify. Run where these three are installed."""

from __future__ import annotations

import asyncio
from typing import Any

import html2text
import markdownify

from bench.drivers.loop import serve, timed
from bench.drivers.playwright import PlaywrightDriver


class ConvertersDriver(PlaywrightDriver):
    async def html2text(self) -> dict[str, Any]:
        async def convert() -> str:
            return str(html2text.html2text(await self.page.content(), baseurl=self.page.url, bodywidth=0))

        ms, text = await timed(convert())
        return {"ms": ms, "text": text}

    # The faster of the two stands for Playwright where there is one figure for it.
    markdown = html2text

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


if __name__ == "__main__":
    asyncio.run(serve(ConvertersDriver()))
