"""What a model still knows at the end of a run of 60 steps, and how much of its requests a cache has read before.

python -m bench.long_runs [--windows 8000 100000] [--json FILE]

Fifteen pages of a shop, each opened, asked for elements, searched, and given to `extract`. Each holds five facts: one
for each of these tools, one that the model reads and says itself, and one that only stands on the page. Counted is
which of them are in the last request, and of those, which stand below the address of their page. Last, how much of the
requests begins as the one before did, as bench.prefixes counts it.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench.options import keep, options
from bench.prefixes import role
from bench.report import Machine, table, this_machine
from bench.server import serving
from cdp_agent import Agent, Browser, Limits
from cdp_agent.agent.model import prompts
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.security.fence import TAG
from fixtures.replay import ReplayServer, reply, tool_call

PAGES, STEPS = 15, 60
_THOUGHT = "I look at what is there and think about what it may mean for the task. " * 12
_FILLER = "".join(f"<li>Row {number} of something that is listed at length" for number in range(60))


class Fact(NamedTuple):
    page: int
    way: str
    text: str


class Known(msgspec.Struct, frozen=True):
    """How the run went at one window, and which facts of each way its last request still holds."""

    window: int
    success: bool
    steps: int
    largest_request: int
    shrunk: int
    facts: dict[str, int]
    with_source: dict[str, int]
    prefix: float
    record: str
    """What stands in the last request in the place of the turns before, if any."""


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    windows: list[Known]


def facts(page: int) -> list[Fact]:
    return [
        Fact(page, "find_elements", f"Kettle {page} costs {page}.25 EUR"),
        Fact(page, "search_page", f"Warranty {page} ends in {2030 + page}"),
        Fact(page, "extract", f"Stock {page} is {700 + page} pieces"),
        Fact(page, "said", f"Rating {page} is {page}.5 of 20"),
        Fact(page, "only shown", f"Weight {page} is {900 + page} grams"),
    ]


def page_html(page: int) -> str:
    price, *others = (each.text for each in facts(page))
    return (
        f"<meta charset=utf-8><title>Shop {page}</title><h1>Shop {page}</h1><a class=offer href=x>{price}</a>"
        + "".join(f"<p>{each}" for each in others)
        + "".join(f"<a href={number}.html>To shop {number}</a> " for number in range(PAGES))
        + f"<ul>{_FILLER}</ul>"
    )


@contextmanager
def shop_served() -> Iterator[str]:
    """The address below which the pages are."""
    with tempfile.TemporaryDirectory() as folder:
        for page in range(PAGES):
            (Path(folder) / f"{page}.html").write_text(page_html(page))
        with serving(Path(folder)) as port:
            yield f"http://127.0.0.1:{port}"


class Model(ReplayServer):
    """Gives the replies of a script; what it is to take out of a page it reads there."""

    piece_bytes = 4_096  # they are long

    def answer(self, request: dict[str, Any]) -> bytes:
        if "tools" in request:
            return super().answer(request)
        self.requests.append(request)
        stock = re.search(r"Stock \d+ is \d+ pieces", _text(request["messages"]))
        return reply(text=stock[0] if stock else "Nothing.")


def script(address: str, pages: int) -> list[bytes]:
    """A reply for each step: four to a page, each with many words of the model's own."""
    replies: list[bytes] = []
    for page in range(pages):
        said = next(each.text for each in facts(page) if each.way == "said")
        replies += [
            tool_call("goto", {"url": f"{address}/{page}.html"}, text=f"Shop {page} is next. {_THOUGHT}"),
            tool_call("find_elements", {"selector": "a.offer"}, text=f"{said}. {_THOUGHT}"),
            tool_call("search_page", {"pattern": "Warranty"}, text=_THOUGHT),
            tool_call("extract", {"description": "How many are in stock."}, text=_THOUGHT),
        ]
    return [*replies, tool_call("done", {"result": "Compared."})]


async def long_run(browser: Browser, address: str, window: int, pages: int = PAGES) -> tuple[Known, str]:
    """The script for so many pages at a window of so many tokens, and its last request."""
    page = await browser.new_page()
    with Model(replies=script(address, pages)) as model:
        agent = Agent(
            browser,
            model="openai-compatible/scripted",
            base_url=model.base_url,
            limits=Limits(history_tokens=window, max_steps=STEPS + 5),
        )
        shrunk: list[str] = []
        result = await agent.run(
            "Compare the kettles.",
            url=f"{address}/0.html",
            page=page,
            on_event=lambda event: shrunk.append("") if type(event).__name__ == "HistoryShrunk" else None,
        )
    await page.close()
    last = _text(model.turns[-1]["messages"]).replace("«", "").replace("»", "")  # around what a search found
    planted = [each for number in range(pages) for each in facts(number)]
    known = Known(
        window=window,
        success=result.success,
        steps=result.stats.steps,
        largest_request=max(tokens(_text(each["messages"])) for each in model.turns),
        shrunk=len(shrunk),
        facts=_by_way([each for each in planted if each.text in last]),
        with_source=_by_way([each for each in planted if _below_its_address(each, last, address)]),
        prefix=role("", "loop", model.turns).again,
        record=last.partition(prompts.RECORD)[2].partition(f"</{TAG}>")[0].strip(),
    )
    return known, last


def _text(messages: Sequence[dict[str, Any]]) -> str:
    parts = []
    for each in messages:
        content = each.get("content") or ""
        parts.append(content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content))
        parts += [json.dumps(call["function"]) for call in each.get("tool_calls") or ()]
    return "\n".join(parts)


def _by_way(found: Sequence[Fact]) -> dict[str, int]:
    return {way: sum(each.way == way for each in found) for way in (each.way for each in facts(0))}


def _below_its_address(fact: Fact, text: str, address: str) -> bool:
    """Whether the address last named before the fact, wherever it stands, is its page's."""
    for found in re.finditer(re.escape(fact.text), text):
        named = re.findall(rf"{re.escape(address)}/(\d+)\.html", text[: found.start()])
        if named and int(named[-1]) == fact.page:
            return True
    return False


async def measure(windows: Sequence[int]) -> Result:
    with shop_served() as address:
        async with Browser.launch() as browser:
            known = [(await long_run(browser, address, window))[0] for window in windows]
            return Result(this_machine(browser.version.product), known)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--windows", type=int, nargs="+", default=[8_000, 100_000])
    arguments = parser.parse_args()
    result = asyncio.run(measure(arguments.windows))
    keep(result, arguments.json)
    print(f"{result.machine}\n")
    for each in result.windows:
        ended = "done" if each.success else "not done"
        print(
            f"\nA window of {each.window:,} tokens: {ended} after {each.steps} steps, the largest request "
            f"{each.largest_request:,} tokens, shrunk {each.shrunk} times. In the last request, of {PAGES}:\n"
        )
        rows = [[way, str(count), str(each.with_source[way])] for way, count in each.facts.items()]
        print(table(["found by", "known", "below their page's address"], rows))
        print(f"\nBegins as the request before: {each.prefix:.0%}")
        print(f"\nThe record of the turns before:\n\n{each.record}" if each.record else "\nNo turn was left out.")


if __name__ == "__main__":
    main()
