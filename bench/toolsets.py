"""What a call through the vendors' SDKs takes over the call in Python: `python -m bench.toolsets [--rounds N]`.

The same page is read by `page.snapshot`, by a session, and by the member `read_page` of each toolset, with the whole
pipeline of its SDK around it: input checked, policies asked, state reported, result rendered. In turns, so that what
the machine does meanwhile meets all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import statistics
import time
from collections.abc import Awaitable, Callable

from anthropic.types.beta import BetaToolUseBlock
from openai.lib.browser import AsyncBrowserToolset
from openai.types.responses import ResponseFunctionToolCall

from bench.report import number, spread, table
from cdp_agent import Browser
from cdp_agent.page.page import Page
from cdp_agent.session import Session
from cdp_agent.toolsets.anthropic import BrowserToolset
from cdp_agent.toolsets.openai import BrowserDriver
from fixtures.shop import ShopServer

WARM_UP = 20
_numbers = itertools.count()


async def yes(*_: object) -> bool:
    return True


def ways(page: Page, session: Session) -> dict[str, Callable[[], Awaitable[object]]]:
    """The same reading, each by its name."""
    anthropic = BrowserToolset(page)
    openai = AsyncBrowserToolset(BrowserDriver(page), confirm=yes, url_policy=yes)

    def use() -> BetaToolUseBlock:
        return BetaToolUseBlock(
            id=f"toolu_{next(_numbers)}", type="tool_use", name="read_page", input={}, toolset_name="browser"
        )

    def function_call() -> ResponseFunctionToolCall:
        arguments = json.dumps({"filter": "all", "tab_id": None})
        return ResponseFunctionToolCall(
            type="function_call", call_id=f"call_{next(_numbers)}", name="browser_read_page", arguments=arguments
        )

    return {
        "page.snapshot": page.snapshot,
        "session.call": lambda: session.call("snapshot", {"budget_tokens": 0}),
        "Anthropic's SDK": lambda: anthropic.tool_result(use()),
        "OpenAI's SDK": lambda: openai.execute(function_call()),
    }


async def measure(rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each call, by the way it went."""
    took: dict[str, list[float]] = {}
    with ShopServer() as shop:
        async with Browser.launch() as browser:
            page = await browser.new_page(shop.url)
            reads = ways(page, Session(browser, page=page))
            for number_ in range(WARM_UP + rounds):
                for name, read in reads.items():
                    began = time.perf_counter()
                    await read()
                    if number_ >= WARM_UP:
                        took.setdefault(name, []).append((time.perf_counter() - began) * 1000)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    took = asyncio.run(measure(parser.parse_args().rounds))
    plain = statistics.median(took["page.snapshot"])
    rows = [
        [name, str(spread(values)), number(statistics.median(values) - plain), str(len(values))]
        for name, values in took.items()
    ]
    print(table(["reading by", "ms (least–most)", "over page.snapshot, ms", "n"], rows))


if __name__ == "__main__":
    main()
