"""cdp_agent, attached to the running Chrome."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from bench.drivers.loop import serve, timed
from cdp_agent import Browser
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Receipt


class OurDriver:
    page: Page
    _browser: Browser

    async def connect(self, endpoint: str) -> None:
        self._browser = await Browser.connect(endpoint)

    async def attach(self, url: str) -> None:
        self.page = self._at(url)
        await self.page.evaluate("0")  # ours attaches at the first use, and the others here

    async def snapshot(self) -> dict[str, Any]:
        ms, snapshot = await timed(self.page.snapshot())
        return {"ms": ms, "text": snapshot.text, "omitted": [str(each) for each in snapshot.omitted]}

    async def snapshot_within(self, tokens: int) -> dict[str, Any]:
        """A snapshot that is not to take more tokens than this."""
        ms, snapshot = await timed(self.page.snapshot(budget_tokens=tokens))
        return {"ms": ms, "text": snapshot.text}

    async def evaluate(self, expression: str) -> dict[str, Any]:
        ms, value = await timed(self.page.evaluate(expression))
        return {"ms": ms, "value": value}

    async def click(self, name: str) -> dict[str, Any]:
        return _told(*await timed(self.page.click((await self._refs("button"))[name])))

    async def fill(self, name: str, value: str) -> dict[str, Any]:
        return _told(*await timed(self.page.fill((await self._refs("textbox"))[name], value)))

    async def form(self, values: dict[str, str], button: str = "") -> dict[str, Any]:
        refs, send = await self._refs("textbox"), (await self._refs("button"))[button] if button else ""
        started = time.perf_counter()
        receipts = [await self.page.fill_form({refs[name]: value for name, value in values.items()})]
        receipts += [await self.page.click(send)] if send else []
        return {
            "ms": (time.perf_counter() - started) * 1000,
            "acted_ms": sum(receipt.acted_ms for receipt in receipts),
            "settled_ms": sum(receipt.settled_ms for receipt in receipts),
            "text": "\n".join(receipt.text for receipt in receipts),
        }

    async def search(self, word: str) -> dict[str, Any]:
        ms, found = await timed(self.page.search(word))
        return {"ms": ms, "total": found.total}

    async def find(self, selector: str, attribute: str, most: int) -> dict[str, Any]:
        ms, found = await timed(self.page.find(selector, attributes=[attribute], max_results=most))
        return {"ms": ms, "total": found.total, "values": [each.attributes[attribute] for each in found.elements]}

    async def markdown(self) -> dict[str, Any]:
        ms, text = await timed(self.page.markdown())
        return {"ms": ms, "text": text}

    async def tabs(self, urls: list[str], button: str) -> dict[str, Any]:
        """A snapshot and a click in each of these tabs, all at once."""
        began = time.perf_counter()

        async def work(page: Page) -> float:
            refs = (await page.snapshot()).refs
            receipt = await page.click(next(ref for ref, element in refs.items() if element.name == button))
            return (time.perf_counter() - began) * 1000 - receipt.settled_ms

        acted = await asyncio.gather(*(work(self._at(url)) for url in urls))
        return {"ms": (time.perf_counter() - began) * 1000, "acted_ms": max(acted)}

    def _at(self, url: str) -> Page:
        return next(page for page in self._browser.pages if page.url == url)

    async def _refs(self, role: str) -> dict[str, str]:
        """The elements of this role, by their names."""
        refs = (await self.page.snapshot()).refs
        return {element.name: ref for ref, element in refs.items() if element.role == role}

    async def close(self) -> None:
        await self._browser.close()


def _told(ms: float, receipt: Receipt) -> dict[str, Any]:
    return {"ms": ms, "acted_ms": receipt.acted_ms, "settled_ms": receipt.settled_ms, "text": receipt.text}


if __name__ == "__main__":
    asyncio.run(serve(OurDriver()))
