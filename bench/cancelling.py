"""Calls cancelled at random moments: `python -m bench.cancelling [COUNT] [SEED]` → what was wrong afterwards.

Each call is cancelled somewhere within the time that such a call takes, and the browser has to be as good as before:
the page is read, its tabs are those that Chrome has, and no task is left. Now and then a page is used from end to end.
"""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.cdp import target
from cdp_agent.page.page import Page
from fixtures.replay import ReplayServer, tool_call

PAGE = """data:text/html,<title>Form</title>
<button onclick="this.textContent='Go '+(window.n=(window.n||0)+1)">Go</button>
<input aria-label=Name><select aria-label=Colour><option>Red<option>Green</select>
<div draggable=true role=option aria-label=Thing tabindex=0 ondragstart="0">Thing</div><p onmouseover="0">Text</p>"""
REPLIES = [
    tool_call("fill", {"ref": "{{ref:textbox Name}}", "value": "tea"}),
    tool_call("click", {"ref": "{{ref:button Go}}"}),
    tool_call("done", {"result": "Done."}),
]
STEPS = ["Type 'tea' into Name", "Click on Go", "Choose Green in Colour"]
_LONGEST_S = 0.4
_USED_EVERY = 25
_ENDS_WITHIN_S = 15.0
_NAVIGATING = ("goto", "reload", "run", "do")


class Tried(msgspec.Struct):
    """How many calls of each kind were cancelled, how many were done before, and what was wrong."""

    cancelled: Counter[str] = msgspec.field(default_factory=Counter)
    done: Counter[str] = msgspec.field(default_factory=Counter)
    wrong: list[str] = []


class Cancelling:
    """One browser, used by nobody else, and the page on which calls are cancelled."""

    def __init__(self, browser: Browser, page: Page, base_url: str, seed: int) -> None:
        self.tried = Tried()
        self._browser = browser
        self._page = page
        self._random = random.Random(seed)
        self._agent = Agent(browser, model="openai-compatible/scripted", base_url=base_url)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._tabs_before = len(browser.pages)

    async def run(self, count: int) -> Tried:
        await self._use()
        self._tasks = asyncio.all_tasks()
        for number in range(1, count + 1):
            name = self._random.choice(sorted(self._acts))
            try:
                async with asyncio.timeout(_ENDS_WITHIN_S):
                    await self._cancel(name)
                    await self._look(f"{number} {name}")
                    if number % _USED_EVERY == 0:
                        await self._use()
            except Exception as error:  # noqa: BLE001 (whatever comes of it is what is looked for)
                self.tried.wrong.append(f"{number} {name}: {type(error).__name__}: {error}")
        return self.tried

    @property
    def _acts(self) -> dict[str, Callable[[], Coroutine[Any, Any, object]]]:
        page = self._page
        return {
            "goto": lambda: page.goto(PAGE),
            "reload": page.reload,
            "snapshot": page.snapshot,
            "click": lambda: self._on("button", page.click),
            "hover": lambda: self._on("button", page.hover),
            "fill": lambda: self._on("textbox", lambda ref: page.fill(ref, "tea")),
            "select": lambda: self._on("combobox", lambda ref: page.select(ref, "Green")),
            "drag": lambda: self._on('option "Thing"', lambda ref: page.drag(ref, by=(40, 10))),
            "press": lambda: page.press("Tab"),
            "search": lambda: page.search("Text"),
            "new_page": self._open,
            "run": lambda: self._agent.run("Find tea", page=page),
            "do": lambda: self._agent.do(STEPS, page=page),
        }

    async def _cancel(self, name: str) -> None:
        call = asyncio.create_task(self._acts[name]())
        await asyncio.wait([call], timeout=self._random.uniform(0, _LONGEST_S))
        if call.done():
            self.tried.done[name] += 1
            call.result()
            return
        call.cancel()
        await asyncio.wait([call])
        self.tried.cancelled[name] += call.cancelled()
        if not call.cancelled():
            call.result()
        elif name in _NAVIGATING:  # what is cancelled loads no further, so that the page may be empty
            await self._page.goto(PAGE)

    async def _look(self, after: str) -> None:
        """What is so after any call, however it ended."""
        text = (await self._page.snapshot()).text
        if 'button "Go' not in text or 'textbox "Name"' not in text:
            self.tried.wrong.append(f"{after}: the page is read as {text[:200]!r}")
        left = await self._tasks_left()
        if left:
            self.tried.wrong.append(f"{after}: left are {left}")
        tabs = await self._tabs()
        if tabs != (self._tabs_before, self._tabs_before):
            self.tried.wrong.append(f"{after}: there are {tabs[1]} tabs, and {tabs[0]} are listed")

    async def _tabs(self) -> tuple[int, int]:
        """How many are listed, and how many Chrome has, a second later at most."""
        until = time.monotonic() + 1
        while True:
            there = await self._browser.session.send(target.GetTargets())
            ids = {each.target_id for each in there.target_infos if each.type == "page"}
            listed = {each.target_id for each in self._browser.pages}
            if (ids == listed and len(ids) == self._tabs_before) or time.monotonic() > until:
                return len(listed), len(ids)

    async def _tasks_left(self) -> list[str]:
        """What still runs a second later; the test's own tasks are not meant."""
        until = time.monotonic() + 1
        while left := asyncio.all_tasks() - self._tasks - {asyncio.current_task()}:
            if time.monotonic() > until:
                return [repr(each)[:200] for each in left]
            await asyncio.wait(left, timeout=0.1)
        return []

    async def _use(self) -> None:
        """The browser works, from end to end."""
        page = self._page
        await page.goto(PAGE)
        clicked = await self._on("button", page.click)
        filled = await self._on("textbox", lambda ref: page.fill(ref, "tea"))
        chosen = await self._on("combobox", lambda ref: page.select(ref, "Green"))
        if (filled.value, chosen.value) != ("tea", "Green") or not any("Go 1" in each for each in clicked.changed):
            self.tried.wrong.append(f"it does not work: {clicked.text} {filled.text} {chosen.text}")

    async def _on(self, element: str, act: Callable[[str], Coroutine[Any, Any, Any]]) -> Any:
        text = (await self._page.snapshot()).text
        line = next(line for line in text.splitlines() if element in line)
        return await act(line.partition("[ref=")[2].partition("]")[0])

    async def _open(self) -> None:
        page = await self._browser.new_page()
        await page.close()


async def cancel_calls(count: int, seed: int) -> Tried:
    """Launches a Chrome and cancels so many calls in it."""
    loop, told = asyncio.get_running_loop(), []
    loop.set_exception_handler(lambda _, context: told.append(context["message"]))
    with ReplayServer(replies=REPLIES * count) as server:
        async with Browser.launch() as browser:
            page = await browser.new_page(PAGE)
            tried = await Cancelling(browser, page, server.base_url, seed).run(count)
    gc.collect()  # a task that nobody holds is told of when it goes
    loop.set_exception_handler(None)
    return msgspec.structs.replace(tried, wrong=tried.wrong + told)


def main() -> None:
    count, seed = (int(each) for each in (*sys.argv[1:], *("300", "1")[len(sys.argv) - 1 :]))
    tried = asyncio.run(cancel_calls(count, seed))
    print(f"cancelled: {dict(tried.cancelled)}\ndone before: {dict(tried.done)}")
    for each in tried.wrong:
        print("wrong:", each)
    sys.exit(bool(tried.wrong))


if __name__ == "__main__":
    main()
