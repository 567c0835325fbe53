"""A task to evaluate with: how it begins, whether it is solved, and a policy that solves it without a model."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cdp_agent import Page
from cdp_agent.page.snapshot.lines import ref_of_change, refs_in
from fixtures.replay import PAGE_BEFORE

_RENDERED_ANEW = re.compile(" *~ rendered anew: ")
Ask = Callable[[str, dict[str, Any]], Awaitable[tuple[str, str]]]
"""Makes one call of a tool in the agent's loop: the view that its model has then, and the result of the call."""


class NotInView(Exception):
    """No line of the view matches; the message holds the view."""


@dataclass
class Env:
    """What an episode has to itself.

    `folder`: empty, on the disk, removed afterwards; files of it may be uploaded. `downloads`: where the browser puts
    its own. `page`: the tab in which the task is done. `utterance`: for a `start` that learns the sentence only from
    the application; else the task has it. `state`: whatever `start` keeps for `solved`.
    """

    folder: Path
    downloads: Path
    page: Page
    utterance: str = ""
    state: Any = None


class Play:
    """What a scripted policy has: the sentence, the view that a model would have, and the public tools.

    `view` is the page as text, whole, followed by what was told of it since: what a model has read. `calls` counts.
    """

    def __init__(self, page: Page, utterance: str, view: str, ask: Ask) -> None:
        self.page = page
        self.utterance = utterance
        self.view = view
        self.calls = 0
        self._ask = ask

    async def call(self, tool: str, /, **arguments: Any) -> str:
        """Calls a public tool as a model does, and returns the text of its result, that of an error too."""
        self.calls += 1
        self.view, result = await self._ask(tool, arguments)
        return result

    async def look(self) -> str:
        """The view anew: the whole page, as the tool `snapshot` gives it."""
        await self.call("snapshot")
        return self.view

    def ref(self, pattern: str, *, nth: int = 0, near: str = "") -> str:
        """The ref of the nth line that the regular expression matches; the newest line of an element counts.

        `near`: of these lines, the last one before the newest line that this one matches, or that line itself: so a
        row's button is told by what the row says. Raises NotInView.
        """
        lines: dict[str, str] = {}
        last = nearest = ""
        for line in self.view.splitlines():
            for old, new in re.findall(r"(E\d+) is (E\d+)", line) if _RENDERED_ANEW.match(line) else ():
                lines[new] = lines.pop(old, "")
            if (ref := ref_in(line)) and line.lstrip().startswith("- -"):  # it was removed
                lines.pop(ref, None)
            elif ref:
                lines[ref] = line
                last = ref if re.search(pattern, line) else last
            if near and last and re.search(near, line):
                nearest = last
        matching = [ref for ref, line in lines.items() if re.search(pattern, line)]
        if nearest:
            return nearest
        if near or len(matching) <= nth:
            raise NotInView(
                f"no line {pattern!r} (number {nth + 1}){f' near {near!r}' if near else ''} in\n{self.view}"
            )
        return matching[nth]

    def seen(self, pattern: str) -> str:
        """What the regular expression, or its group, matches last in the view of this page. Raises NotInView."""
        return last_match(pattern, self.view.partition(PAGE_BEFORE)[0])

    async def answer(self, result: str) -> None:
        """Ends the task with this answer."""
        await self.call("done", result=result)


def last_match(pattern: str, text: str) -> str:
    """What the regular expression, or its group, matches last in a view or a result. Raises NotInView."""
    matches = [*re.finditer(pattern, text)]
    if not matches:
        raise NotInView(f"{pattern!r} is not in\n{text}")
    return matches[-1][matches[-1].re.groups and 1]


def ref_in(line: str) -> str | None:
    """The ref of a line of a view, or of one that says what changed since."""
    return ref_of_change(line.strip()) or next(iter(refs_in(line)), None)


class Policy(Protocol):
    """Solves a task by what `play` offers, and returns when it is done."""

    async def __call__(self, play: Play) -> None: ...


@dataclass(frozen=True)
class Task:
    """A task of a suite.

    `utterance`: what is to be done, "" where `start` sets `Env.utterance`. `start` makes the state for a seed and
    yields the address to begin at; the same seed gives the same task. `solved` is "" or why the task is not solved: it
    checks the application's own state, never the view; its last argument is the answer. `app`: what has to be had.
    """

    name: str
    suite: str
    utterance: str | Callable[[int], Awaitable[str]]
    start: Callable[[Env, int], AbstractAsyncContextManager[str]]
    solved: Callable[[Env, Page, str], Awaitable[str]]
    policy: Policy | None = None
    app: str = ""
