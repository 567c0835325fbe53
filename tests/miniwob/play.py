"""One episode of a task: started on the page, played through the public tools, scored by the page."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec

from cdp_agent import BrowserContext, Page
from cdp_agent.errors import ActionError
from cdp_agent.page.query.find import FoundElement
from cdp_agent.page.refs.locate import Position
from cdp_agent.session.calls import Call, perform
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context

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
  const colour = document.querySelector('#query .cc');
  const seen = icon ? icon.className : colour && colour.style.backgroundColor;
  return (said.utterance ?? said) + (seen ? ` [${seen}]` : '');
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


class Hands(Protocol):
    """How a policy sees and acts: here directly, in bench.evals through an agent's loop."""

    async def act(self, tool: str, **arguments: Any) -> None:
        """Calls a tool. Raises ActionError."""

    async def view(self) -> str:
        """The page as text, as it is now."""


class Direct:
    """Calls the tools without an agent."""

    def __init__(self, page: Page, browser: BrowserContext) -> None:
        self._page = page
        self._context = Context(page, browser)

    async def act(self, tool: str, **arguments: Any) -> None:
        chosen = BUILT_IN[tool]
        outcome = await perform(Call(chosen, chosen.parse(arguments)), self._context)
        if isinstance(outcome, ActionError):
            raise outcome

    async def view(self) -> str:
        return (await self._page.snapshot()).text


class Play:
    """What a policy has: the sentence that says what to do, the tools, and the page for what no tool tells."""

    def __init__(self, page: Page, utterance: str, hands: Hands) -> None:
        self.page = page
        self.utterance = utterance
        self.steps = 0
        self._hands = hands

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

    async def call(self, tool: str, **arguments: Any) -> None:
        """Calls a tool. Raises ActionError."""
        self.steps += 1
        await self._hands.act(tool, **{name: value for name, value in arguments.items() if value is not None})

    async def look(self) -> Look:
        return Look(await self._hands.view())

    async def one(self, role: str | None = None, name: str | None = None, **states: str) -> Line:
        return (await self.look()).one(role, name, **states)

    async def find(self, selector: str, *attributes: str) -> list[FoundElement]:
        return (await self.page.find(selector, attributes=attributes, max_results=100)).elements

    async def click(self, role: str | None = None, name: str | None = None, **states: str) -> None:
        """Clicks the first line that is like that in a new snapshot."""
        await self.click_on((await self.one(role, name, **states)).ref)

    async def click_on(self, ref: str, count: int = 1, position: Position | None = None) -> None:
        await self.call("click", ref=ref, count=count, at=position)

    async def submit(self, name: str = "Submit") -> None:
        await self.click("button", name)

    async def fill(self, text: str, nth: int = 0, role: str = "textbox") -> None:
        """Fills the nth text box."""
        await self.call("fill", ref=(await self.look()).all(role)[nth].ref, value=text)

    async def press(self, key: str, ref: str | None = None, times: int = 1) -> None:
        if times:
            await self.call("press", key=key, ref=ref, repeat=times)

    async def drag(
        self, from_ref: str, to_ref: str, position: Position | None = None, to_position: Position | None = None
    ) -> None:
        await self.call("drag", from_ref=from_ref, to_ref=to_ref, from_at=position, to_at=to_position)

    async def done(self) -> bool:
        """Whether the page has ended the episode."""
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


async def begin(page: Page, site: str, task: str, seed: int) -> str:
    """Opens the task's page and starts an episode, and gives its sentence; the same seed gives the same one."""
    await page.goto(f"{site}/miniwob/{task}.html")
    utterance = await page.evaluate(f"{START}({str(seed)!r})")
    await page.evaluate(_READY)
    return str(utterance)


async def play(page: Page, browser: BrowserContext, site: str, task: str, seed: int) -> Score:
    """Plays an episode with the task's policy. Whatever the policy raises is in the score."""
    started = time.perf_counter()
    playing = Play(page, await begin(page, site, task, seed), Direct(page, browser))
    error = ""
    try:
        await POLICIES[task](playing)
    except Exception as raised:  # noqa: BLE001  # a policy may fail in any way, and the table names it
        error = f"{type(raised).__name__}: {raised}"
    reward = await page.evaluate(REWARD)
    took_ms = (time.perf_counter() - started) * 1000
    return Score(task, seed, reward, playing.steps, took_ms, error)
