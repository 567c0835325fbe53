"""Plays a task once, and what came of it as a line of a file."""

from __future__ import annotations

import asyncio
import datetime
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Literal

import msgspec

from bench.cache import NotFetched
from bench.evals.scripted import scripted
from bench.evals.task import Env, Task
from cdp_agent import Agent, AgentResult, Browser, BrowserContext, Limits
from cdp_agent.errors import SetupError
from cdp_agent.steps.language.grammar import split_step

Mode = Literal["tools", "steps"]
SCRIPTED = "scripted"
_START_S = 300
"""For starting the application, asking it, and ending it."""


class How(msgspec.Struct, frozen=True):
    """By which model and how the tasks are done; `options` are more keywords of `Agent`."""

    model: str = SCRIPTED
    mode: Mode = "tools"
    commit: str = ""
    max_steps: int = 50
    max_seconds: float = 600
    options: dict[str, Any] = {}


class Episode(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a task with a seed.

    `solved` is what the application says. `why`: why it is not solved. `kind`: the end of the run by the agent's own
    codes, "unsolved" where it claims to have done it, "model" where that did not answer, "policy" where a scripted
    policy failed, "task" where the start or the check did, "skipped" where the application cannot be had. `turns` are
    the agent's steps, `calls` the requests to a model. `cost` is in US dollars, None if unknown.
    """

    task: str
    suite: str
    seed: int
    model: str
    mode: Mode
    commit: str
    day: str
    solved: bool
    kind: str = ""
    why: str = ""
    utterance: str = ""
    answer: str = ""
    turns: int = 0
    actions: int = 0
    errors: int = 0
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, str, int]:
        """What is played only once in a file."""
        return self.suite, self.task, self.seed


async def play(task: Task, seed: int, how: How, browser: Browser) -> Episode:
    """Plays the task in a context of its own. Whatever else fails is in the result. Raises SetupError."""
    began = time.monotonic()
    episode = Episode(
        task.name, task.suite, seed, how.model, how.mode, how.commit, datetime.date.today().isoformat(), False
    )
    try:
        async with asyncio.timeout(how.max_seconds + _START_S):
            changes = await _played(task, seed, how, browser)
    except NotFetched as error:
        changes = {"kind": "skipped", "why": f"{task.app}: {error}"}
    except SetupError:  # an unknown model, a missing key: nothing can be played
        raise
    except Exception as error:  # noqa: BLE001  # a task's own code may fail in any way, and the table names it
        changes = {"kind": "task", "why": f"{type(error).__name__}: {error}"}
    return msgspec.structs.replace(episode, seconds=round(time.monotonic() - began, 1), **changes)


async def _played(task: Task, seed: int, how: How, browser: Browser) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        env_folder, downloads = folder / "files", folder / "downloads"
        for path in (env_folder, downloads):
            path.mkdir()
        context = await stack.enter_async_context(await browser.new_context(downloads=downloads))
        env = Env(env_folder, downloads, await context.new_page())
        url = await stack.enter_async_context(task.start(env, seed))
        utterance = task.utterance if isinstance(task.utterance, str) else await task.utterance(seed)
        utterance = utterance or env.utterance
        result, problem = await _run(task, how, context, env, utterance, url)
        answer = str(result.answer or "")
        why = await task.solved(env, env.page, answer)
        changes = _counts(result) | {"utterance": utterance, "answer": answer, "solved": not why}
        if why or problem:
            changes |= _failure(result, why, problem)
        return changes


def _failure(result: AgentResult[Any], why: str, problem: str) -> dict[str, Any]:
    if problem:
        return {"solved": False, "kind": "policy", "why": problem}
    if result.error is None:
        return {"kind": "unsolved", "why": why}
    kind = "model" if result.error.where == "model" else result.error.code
    return {"kind": kind, "why": f"{result.error.message} ({why})"}


def _counts(result: AgentResult[Any]) -> dict[str, Any]:
    stats = result.stats
    same = ("actions", "errors", "input_tokens", "cached_tokens", "output_tokens", "cost")
    return {name: getattr(stats, name) for name in same} | {"turns": stats.steps, "calls": stats.generations}


async def _run(
    task: Task, how: How, context: BrowserContext, env: Env, utterance: str, url: str
) -> tuple[AgentResult[Any], str]:
    """The result of the run, and what the scripted policy raised."""
    options: dict[str, Any] = {
        "limits": Limits(max_steps=how.max_steps, max_seconds=how.max_seconds),
        "upload_folders": [env.folder],
        **how.options,
    }
    if how.model != SCRIPTED:
        options["model" if how.mode == "tools" else "planner"] = how.model
        agent = Agent(context, **options)
        return await agent.run(utterance, url=url, page=env.page), ""
    if how.mode == "steps":
        return await Agent(context, **options).do(split_step(utterance), url=url, page=env.page), ""
    assert task.policy is not None  # the others are left out
    async with scripted(task.policy, env.page, utterance) as model:
        agent = Agent(context, model="openai-compatible/scripted", base_url=model.base_url, **options)
        return await agent.run(utterance, url=url, page=env.page), model.problem
