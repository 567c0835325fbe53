"""A page's markup by Playwright, made Markdown by html2text. Run where both are installed."""

from __future__ import annotations

import asyncio
from typing import Any

import html2text

from bench.drivers.loop import serve, timed
from bench.drivers.playwright import PlaywrightDriver


class ConvertersDriver(PlaywrightDriver):
    async def markdown(self) -> dict[str, Any]:
        async def convert() -> str:
            return str(html2text.html2text(await self.page.content(), baseurl=self.page.url, bodywidth=0))

        ms, text = await timed(convert())
        return {"ms": ms, "text": text}


if __name__ == "__main__":
    asyncio.run(serve(ConvertersDriver()))
