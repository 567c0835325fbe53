"""MiniWoB++, all of it: https://miniwob.farama.org, from the package `miniwob`; each page judges itself.

The policies are those of tests/miniwob.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench.cache import python_packages, site_packages
from bench.evals import task as evals
from bench.evals.task import Env, Task
from bench.server import serving
from cdp_agent import Page
from cdp_agent.errors import ActionError
from tests.miniwob import pages
from tests.miniwob.play import REWARD, START, Play
from tests.miniwob.policies import POLICIES

# An episode that is over stays so: the cover that would start the next one says it instead.
_BEGUN_AT_ONCE = """<script>addEventListener('load', () => {
  window.utterance = (%s)(%r);
  core.cover_div.onclick = null;
  core.cover_div.textContent = 'This task is over.';
})</script>"""


def tasks() -> Sequence[Task]:
    """All tasks whose pages there are. Raises NotFetched."""
    return [_task(page.stem) for page in sorted((_pages() / "miniwob").glob("*.html"))]


def _pages() -> Path:
    return pages.folder() or site_packages(python_packages("miniwob==1.1.0", dependencies=False)) / "miniwob/html"


def _task(name: str) -> Task:
    policy = POLICIES.get(name)
    playing = None if policy is None else partial(_play, policy)
    return Task(name, "miniwob", "", partial(_start, name), _solved, playing, app="MiniWoB++")


@asynccontextmanager
async def _start(name: str, env: Env, seed: int) -> AsyncIterator[str]:
    site = env.folder / "site"
    (site / "miniwob").mkdir(parents=True)
    for folder in ("core", "common"):
        (site / folder).symlink_to(_pages() / folder)
    page = (_pages() / "miniwob" / f"{name}.html").read_text("utf-8")
    (site / f"miniwob/{name}.html").write_text(page + _BEGUN_AT_ONCE % (START, str(seed)), "utf-8")
    with serving(site) as port:
        url = f"http://127.0.0.1:{port}/miniwob/{name}.html"
        await env.page.goto(url)
        env.utterance = await env.page.evaluate("utterance")
        yield url


async def _solved(env: Env, page: Page, answer: str) -> str:
    reward = await page.evaluate(REWARD)
    if reward is None:
        return "the page has not ended the episode"
    return "" if reward > 0 else f"the page gave the reward {reward}"


async def _play(policy: Any, play: evals.Play) -> None:
    await policy(Play(play.page, play.utterance, _InLoop(play)))


class _InLoop:
    """A policy's calls, each a turn of the agent; a view is a turn, too, unless nothing was done since the last."""

    def __init__(self, play: evals.Play) -> None:
        self._play = play
        self._is_new = True

    async def act(self, tool: str, **arguments: Any) -> None:
        self._is_new = False
        result = await self._play.call(tool, **arguments)
        if result.startswith("Error:"):
            raise ActionError(result)

    async def view(self) -> str:
        if not self._is_new:
            self._is_new = True
            return await self._play.look()
        return self._play.view
