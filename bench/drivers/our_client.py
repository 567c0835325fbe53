"""What users do in a tab, by us: `python -m bench.drivers.our_client ENDPOINT ADDRESS ROUNDS` prints milliseconds."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable
from typing import Any

from cdp_agent import Browser


async def run(endpoint: str, address: str, rounds: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = defaultdict(list)

    async def timed(name: str, doing: Awaitable[Any]) -> Any:
        begun = time.perf_counter()
        result = await doing
        took[name].append((time.perf_counter() - begun) * 1000)
        return result

    async with Browser.connect(endpoint) as browser:
        for turn in range(rounds):
            page = await timed("new page", browser.new_page())
            await timed("goto", page.goto(address))
            text = (await timed("first view", page.snapshot())).text
            await timed("view again", page.snapshot())
            await page.evaluate("document.querySelector('p').textContent = 'changed'")
            await timed("view after a change", page.snapshot())
            field, button, link = (re.search(rf'"{name}".*?ref=(\w+)', text)[1] for name in ("Name", "Go", "Next"))  # type: ignore[index]
            await timed("field", page.fill(field, f"Ada {turn}"))
            await timed("key", page.press("a"))
            await timed("click", page.click(button))
            await timed("click that navigates", page.click(link))
            await page.close()
    return took


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(sys.argv[1], sys.argv[2], int(sys.argv[3])))))
