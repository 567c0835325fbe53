"""What our own tasks are made of: an application with fresh state, a sentence, a check of that state, and a policy."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.evals.task import Env, Play, Policy, Task
from cdp_agent import Page


@dataclass(frozen=True)
class Site:
    """An application that runs for one episode. `server` is what a check asks beside the files of the folder."""

    url: str
    folder: Path
    server: Any = None


App = Callable[[Path, random.Random], AbstractContextManager[Site]]
"""Starts an application in an empty folder, with a state that is drawn by these numbers. Raises NotFetched."""

Check = Callable[["Episode"], Awaitable[str]]
"""Why the task is not solved; "" when it is."""


@dataclass(frozen=True)
class Episode:
    """What a check looks at. `asked` are the values that stand in the task's sentence."""

    site: Site
    page: Page
    answer: str
    asked: dict[str, str]
    downloads: Path


TASKS: list[Task] = []
FILE = "new.csv"


def own(
    name: str,
    app: tuple[str, App],
    sentence: str,
    solved: Check,
    *,
    asked: Callable[[random.Random], dict[str, str]] = lambda _: {},
    path: str = "",
    file: str = "",
) -> Callable[[Policy], Policy]:
    """Makes a task of the policy below it.

    `asked` draws the values for the {names} in the sentence; `path` is where it begins, at the application.
    `file` is the text of a file that may be uploaded, {file} in the sentence.
    """
    app_name, starts = app

    def values(seed: int) -> dict[str, str]:
        return asked(random.Random(f"{name} {seed}"))

    @asynccontextmanager
    async def start(env: Env, seed: int) -> AsyncIterator[str]:
        with ExitStack() as stack:
            folder = env.folder / ".application"
            folder.mkdir()
            # Programs take seconds to start and to end.
            site = await asyncio.to_thread(stack.enter_context, starts(folder, random.Random(f"{app_name} {seed}")))
            (env.folder / FILE).write_text(file, "utf-8")
            env.utterance = sentence.format(**{"file": env.folder / FILE} | values(seed))
            env.state = site, values(seed)
            try:
                yield site.url.rstrip("/") + path
            finally:
                await asyncio.to_thread(stack.close)

    async def check(env: Env, page: Page, answer: str) -> str:
        site, drawn = env.state
        return await solved(Episode(site, page, answer, drawn, env.downloads))

    def register(policy: Policy) -> Policy:
        TASKS.append(Task(name, "own", "", start, check, policy, app_name))
        return policy

    return register


def quoted(play: Play) -> list[str]:
    """What stands in single quotes in the task's sentence, each once."""
    return list(dict.fromkeys(re.findall(r"'([^']*)'", play.utterance)))
