"""Playwright searching and finding as its users write it, with the fewest calls that give the same."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from bench.drivers.loop import serve, timed
from bench.drivers.playwright import PlaywrightDriver

_SHOWN = 10
_TEXTS = f"found => found.slice(0, {_SHOWN}).map(e => e.innerText)"
_FIRST = """found.slice(0, most).map(e =>
  ({text: e.textContent, value: name === 'href' ? e.href : e.getAttribute(name)}))"""
_VALUES = f"(found, [name, most]) => {_FIRST}"
_AT_ONCE = f"(found, [name, most]) => ({{total: found.length, first: {_FIRST}}})"


class PlaywrightExploreDriver(PlaywrightDriver):
    async def search(self, word: str) -> dict[str, Any]:
        """How many elements have the word, and the texts of the first ones. It looks into the main frame only."""

        async def look() -> int:
            found = self.page.get_by_text(word)
            total = await found.count()
            await found.evaluate_all(_TEXTS)
            return int(total)

        ms, total = await timed(look())
        return {"ms": ms, "total": total}

    async def search_text(self, word: str) -> dict[str, Any]:
        """The page's text, searched in Python: it says how often, and of no element where."""

        async def look() -> int:
            return len(re.findall(re.escape(word), await self.page.inner_text("body"), re.IGNORECASE))

        ms, total = await timed(look())
        return {"ms": ms, "total": total}

    async def find(self, selector: str, attribute: str, most: int) -> dict[str, Any]:
        async def look() -> tuple[int, list[Any]]:
            found = self.page.locator(selector)
            return await found.count(), await found.evaluate_all(_VALUES, [attribute, most])

        ms, (total, first) = await timed(look())
        return {"ms": ms, "total": total, "values": [each["value"] for each in first]}

    async def find_at_once(self, selector: str, attribute: str, most: int) -> dict[str, Any]:
        """The same in one call, with JavaScript for the count too."""
        ms, found = await timed(self.page.locator(selector).evaluate_all(_AT_ONCE, [attribute, most]))
        return {"ms": ms, "total": found["total"], "values": [each["value"] for each in found["first"]]}


if __name__ == "__main__":
    asyncio.run(serve(PlaywrightExploreDriver()))
