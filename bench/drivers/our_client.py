"""What users do in a tab, by us: `python -m bench.drivers.our_client ENDPOINT ADDRESS ROUNDS` prints milliseconds."""

from __future__ import annotations

import asyncio
import json
import re
import sys

from bench.drivers.loop import Stopwatch
from cdp_agent import Browser


async def run(endpoint: str, address: str, rounds: int) -> dict[str, list[float]]:
    watch = Stopwatch()
    timed = watch.timed
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
    return watch.took_ms


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(sys.argv[1], sys.argv[2], int(sys.argv[3])))))
