"""Playwright for Python, attached to the running Chrome. Run in an environment with `playwright`."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

from playwright.async_api import Browser, Locator, Page, async_playwright

from bench.drivers.loop import serve, timed

_SHOWN = 10
_TEXTS = f"found => found.slice(0, {_SHOWN}).map(e => e.innerText)"
_VALUES = """(found, [name, most]) => found.slice(0, most).map(e =>
  ({text: e.textContent, value: name === 'href' ? e.href : e.getAttribute(name)}))"""


class PlaywrightDriver:
    page: Page
    _browser: Browser

    async def connect(self, endpoint: str) -> None:
        self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.connect_over_cdp(endpoint)

    async def attach(self, url: str) -> None:
        self.page = self._at(url)

    async def snapshot(self) -> dict[str, Any]:
        ms, text = await timed(_snapshot(self.page))
        return {"ms": ms, "text": text}

    async def evaluate(self, expression: str) -> dict[str, Any]:
        ms, value = await timed(self.page.evaluate(expression))
        return {"ms": ms, "value": value}

    async def click(self, name: str) -> dict[str, Any]:
        ms, _ = await timed((await _by_ref(self.page, "button", name)).click())
        return {"ms": ms}

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        ms, _ = await timed((await _by_ref(self.page, "textbox", name)).fill(value))
        return {"ms": ms}

    async def form(self, values: dict[str, str], button: str) -> dict[str, Any]:
        fields = [(await _by_ref(self.page, "textbox", name), value) for name, value in values.items()]
        send = await _by_ref(self.page, "button", button)

        async def work() -> None:
            for field, value in fields:
                await field.fill(value)
            await send.click()

        ms, _ = await timed(work())
        return {"ms": ms}

    async def search(self, word: str) -> dict[str, Any]:
        """How many elements have the word, and the texts of the first ones. It looks into the main frame only."""

        async def look() -> int:
            found = self.page.get_by_text(word)
            total = await found.count()
            await found.evaluate_all(_TEXTS)
            return int(total)

        ms, total = await timed(look())
        return {"ms": ms, "total": total}

    async def find(self, selector: str, attribute: str, most: int) -> dict[str, Any]:
        async def look() -> tuple[int, list[Any]]:
            found = self.page.locator(selector)
            return await found.count(), await found.evaluate_all(_VALUES, [attribute, most])

        ms, (total, first) = await timed(look())
        return {"ms": ms, "total": total, "values": [each["value"] for each in first]}

    async def tabs(self, urls: list[str], button: str) -> dict[str, Any]:
        """A snapshot and a click in each of these tabs, all at once."""

        async def work(page: Page) -> None:
            await (await _by_ref(page, "button", button)).click()

        started = time.perf_counter()
        await asyncio.gather(*(work(self._at(url)) for url in urls))
        return {"ms": (time.perf_counter() - started) * 1000}

    def _at(self, url: str) -> Page:
        return next(page for page in self._browser.contexts[0].pages if page.url == url)

    async def close(self) -> None:
        await self._browser.close()
        await self._playwright.stop()


async def _snapshot(page: Page) -> str:
    return str(await page.aria_snapshot(mode="ai", timeout=600_000))


async def _by_ref(page: Page, role: str, name: str) -> Locator:
    """As its MCP server does: by the ref of the last snapshot, so that no search by role is in the figure."""
    found = re.search(rf'- {role} "{name}".* \[ref=(\w+)\]', await _snapshot(page))
    assert found, f"no {role} {name!r} in the snapshot"
    return page.locator(f"aria-ref={found[1]}")


if __name__ == "__main__":
    asyncio.run(serve(PlaywrightDriver()))
