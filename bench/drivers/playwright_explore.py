"""Playwright searching and finding by other ways that its users may write."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from bench.drivers.loop import serve, timed
from bench.drivers.playwright import FIRST, PlaywrightDriver

_AT_ONCE = f"(found, [name, most]) => ({{total: found.length, first: {FIRST}}})"


class PlaywrightExploreDriver(PlaywrightDriver):
    async def search_text(self, word: str) -> dict[str, Any]:
        """The page's text, searched in Python: it says how often, and of no element where."""

        async def look() -> int:
            return len(re.findall(re.escape(word), await self.page.inner_text("body"), re.IGNORECASE))

        ms, total = await timed(look())
        return {"ms": ms, "total": total}

    async def find_at_once(self, selector: str, attribute: str, most: int) -> dict[str, Any]:
        """The same as `find` in one call, with JavaScript for the count too."""
        ms, found = await timed(self.page.locator(selector).evaluate_all(_AT_ONCE, [attribute, most]))
        return {"ms": ms, "total": found["total"], "values": [each["value"] for each in found["first"]]}


if __name__ == "__main__":
    asyncio.run(serve(PlaywrightExploreDriver()))
