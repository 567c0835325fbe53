"""Runs of the agent with a model whose replies are written in the test and served over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from cdp_agent.agent.agent import Agent
from cdp_agent.browser.context import BrowserContext
from cdp_agent.events import Event, TaskCompleted
from cdp_agent.outcome import AgentResult
from cdp_agent.page.page import Page
from fixtures.replay import ReplayServer, tool_call
from tests.writing import put

SHOP = """<title>Shop</title><h1>Shop</h1><input aria-label="Search">
<button onclick="document.querySelector('p').textContent = 'Found ' + document.querySelector('input').value">Go</button>
<p>Nothing yet</p>"""
FILL = tool_call("fill", {"ref": "{{ref:textbox Search}}", "value": "tea"})
CLICK = tool_call("click", {"ref": "{{ref:button Go}}"})
DONE = tool_call("done", {"result": "Found tea."})
WAIT = tool_call("wait", {"seconds": 0})

_E = TypeVar("_E", bound=Event)


@contextmanager
def scripted(browser: BrowserContext, replies: Sequence[bytes], **options: Any) -> Iterator[tuple[Agent, ReplayServer]]:
    """An agent that plans and is judged whatever its task is, unless `plan` says otherwise."""
    options = {"plan": "always", **options}
    with ReplayServer(replies=replies) as server:
        yield Agent(browser, model="openai-compatible/scripted", base_url=server.base_url, **options), server


async def play(
    browser: BrowserContext,
    page: Page,
    replies: Sequence[bytes],
    *,
    task: str = "Find tea",
    url: str | None = None,
    content: str | None = None,
    data: Any = None,
    answer: Any = None,
    **options: Any,
) -> tuple[list[Event], ReplayServer]:
    """A run in the page, which goes to the address, or has the content already: see `put`."""
    if content is not None:
        await put(page, content)
    with scripted(browser, replies, **options) as (agent, server):
        stream = agent.stream(task, url=url, data=data, answer=answer, page=page)
        return [event async for event in stream], server


def result_of(events: list[Event]) -> AgentResult:
    assert isinstance(events[-1], TaskCompleted)
    return events[-1].result


def told(server: ReplayServer, turn: int) -> list[str]:
    """What the tools answered, as the model read it in that turn (from 1)."""
    return [each["content"] for each in server.turns[turn - 1]["messages"] if each["role"] == "tool"]


def said(server: ReplayServer, turn: int) -> str:
    """The last message of that turn's request."""
    text: str = server.turns[turn - 1]["messages"][-1]["content"]
    return text


def of(events: Sequence[Event], kind: type[_E]) -> list[_E]:
    return [event for event in events if isinstance(event, kind)]
