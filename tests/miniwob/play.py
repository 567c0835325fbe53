"""One episode of a task: started on the page, played through the public API, scored by the page."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from cdp_agent import Page
from cdp_agent.page.query.find import FoundElement
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.refs.locate import Position

from .look import Line, Look

# The task's text, the score board, the canvas that shows clicks and the cover that starts an episode are not part of
# the task. They are hidden rather than removed: pages compute with the height of the task's text, and those whose score
# board is gone throw at the end of an episode, so that a form is sent.
START = """((seed) => {
  Math.seedrandom(seed);
  core.EPISODE_MAX_TIME = 1e6;
  core.startEpisodeReal();
  document.body.removeEventListener('click', core.canvasDrawClick);
  const said = core.getUtterance();
  const icon = document.querySelector('#query .ui-icon');
  document.getElementById('query').style.visibility = 'hidden';
  for (const id of ['reward-display', 'click-canvas']) document.getElementById(id).style.display = 'none';
  return (said.utterance ?? said) + (icon ? ` [${icon.className}]` : '');
})"""
_READY = """new Promise((ready) => {
  const look = () => (WOB_TASK_READY ? ready(true) : setTimeout(look, 20));
  look();
})"""
REWARD = "WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : null"


class Score(msgspec.Struct, frozen=True):
    """How an episode went. `reward` is None when the page had not ended it."""

    task: str
    seed: int
    reward: float | None
    steps: int
    took_ms: float
    error: str = ""

    @property
    def solved(self) -> bool:
        return self.reward is not None and self.reward > 0


class Play:
    """What a policy has: the sentence that says what to do, and the page."""

    def __init__(self, page: Page, utterance: str) -> None:
        self.page = page
        self.utterance = utterance
        self.steps = 0

    @property
    def quoted(self) -> list[str]:
        """What stands in double quotes in the task."""
        return re.findall(r'"([^"]*)"', self.utterance)

    def said(self, pattern: str) -> re.Match[str]:
        """The place in the task where the pattern matches."""
        match = re.search(pattern, self.utterance)
        if match is None:
            raise ValueError(f"{pattern!r} is not in {self.utterance!r}")
        return match

    async def look(self) -> Look:
        return Look((await self.page.snapshot()).text)

    async def one(self, role: str | None = None, name: str | None = None, **states: str) -> Line:
        return (await self.look()).one(role, name, **states)

    async def find(self, selector: str, *attributes: str) -> list[FoundElement]:
        return (await self.page.find(selector, attributes=attributes, max_results=100)).elements

    async def click(self, role: str | None = None, name: str | None = None, **states: str) -> Receipt:
        """Clicks the first line that is like that in a new snapshot."""
        return await self.click_on((await self.one(role, name, **states)).ref)

    async def click_on(self, ref: str, count: int = 1, position: Position | None = None) -> Receipt:
        self.steps += 1
        return await self.page.click(ref, count=count, position=position)

    async def submit(self, name: str = "Submit") -> Receipt:
        return await self.click("button", name)

    async def fill(self, text: str, nth: int = 0, role: str = "textbox") -> Receipt:
        """Fills the nth text box."""
        self.steps += 1
        return await self.page.fill((await self.look()).all(role)[nth].ref, text)

    async def press(self, key: str, ref: str | None = None, times: int = 1) -> None:
        for _ in range(times):
            self.steps += 1
            await self.page.press(key, ref=ref)

    async def drag(
        self, from_ref: str, to_ref: str, position: Position | None = None, to_position: Position | None = None
    ) -> Receipt:
        self.steps += 1
        return await self.page.drag(from_ref, to_ref, position=position, to_position=to_position)

    async def done(self) -> bool:
        return bool(await self.page.evaluate("WOB_DONE_GLOBAL"))


Policy = Callable[[Play], Awaitable[Any]]
POLICIES: dict[str, Policy] = {}


def solves(*tasks: str) -> Callable[[Policy], Policy]:
    """Registers a policy for these tasks."""

    def register(policy: Policy) -> Policy:
        for task in tasks:
            POLICIES[task] = policy
        return policy

    return register


async def begin(page: Page, site: str, task: str, seed: int) -> Play:
    """Opens the task's page and starts an episode; the same seed gives the same one."""
    await page.goto(f"{site}/miniwob/{task}.html")
    utterance = await page.evaluate(f"{START}({str(seed)!r})")
    await page.evaluate(_READY)
    return Play(page, utterance)


async def play(page: Page, site: str, task: str, seed: int) -> Score:
    """Plays an episode with the task's policy. Whatever the policy raises is in the score."""
    started = time.perf_counter()
    playing = await begin(page, site, task, seed)
    error = ""
    try:
        await POLICIES[task](playing)
    except Exception as raised:  # noqa: BLE001  # a policy may fail in any way, and the table names it
        error = f"{type(raised).__name__}: {raised}"
    reward = await page.evaluate(REWARD)
    took_ms = (time.perf_counter() - started) * 1000
    return Score(task, seed, reward, playing.steps, took_ms, error)
