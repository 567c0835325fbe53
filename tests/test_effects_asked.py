"""Every face that can ask asks about the same effects. Nothing arrives before, nothing if refused, once if allowed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from httpx_sse import aconnect_sse

from cdp_agent import Browser, Page, Rules
from cdp_agent.agent.agent import Agent
from cdp_agent.decisions import ActionProposed, Ask, Decision, Execute, Skip
from cdp_agent.session import Session
from fixtures.replay import tool_call
from tests.agents import DONE, scripted
from tests.effects import EFFECTS, LATE, Effect, mark, name_of, put, reached
from tests.http_serving import serving
from tests.late import Late
from tests.web import running

if TYPE_CHECKING:
    import mcp
    from mcp import types

    from cdp_agent.mcp import serving as mcp_serving
else:
    mcp, types, mcp_serving = Late("mcp"), Late("mcp.types"), Late("cdp_agent.mcp.serving")

Play = Callable[[str, bool], Awaitable[list[str]]]
"""Opens the address and does there what is in the table, where every question is answered so; the questions."""


class Person:
    """Answers each question so, and notes it."""

    def __init__(self, *, allows: bool) -> None:
        self.allows = allows
        self.asked: list[str] = []

    def __call__(self, ask: Ask) -> Decision:
        assert isinstance(ask, ActionProposed)
        self.asked.append(ask.question)
        return Execute() if self.allows else Skip()


def in_order(url: str, effects: Sequence[Effect] = EFFECTS) -> Iterator[tuple[int, Effect] | str]:
    """The effects with their numbers, an address to open again after each that leaves, and what is waited for."""
    for number, effect in enumerate(effects, 1):
        if effect.leaves and not effects[number - 2].leaves:
            yield LATE
        yield number, effect
        if effect.leaves:
            yield url


def steps(url: str, effects: Sequence[Effect] = EFFECTS) -> list[str]:
    written = []
    for each in in_order(url, effects):
        if isinstance(each, str):
            written.append(f"Wait for the text '{LATE}'" if each == LATE else f"Open {url}")
        else:
            written.append(each[1].step.replace("§", name_of(each[0])))
    return written


@asynccontextmanager
async def by_steps(browser: Browser, page: Page) -> AsyncIterator[Play]:
    async def play(url: str, allows: bool) -> list[str]:
        person = Person(allows=allows)
        result = await Agent(browser, approve=person).do(steps(url), url=url, page=page)
        assert result.success, result.error
        return person.asked

    yield play


@asynccontextmanager
async def by_a_model(browser: Browser, page: Page) -> AsyncIterator[Play]:
    async def play(url: str, allows: bool) -> list[str]:
        person = Person(allows=allows)
        calls = []
        for each in in_order(url):
            if isinstance(each, str):
                calls.append(tool_call("wait_for", {"text": LATE}) if each == LATE else tool_call("goto", {"url": url}))
            else:
                ref = f"{{{{ref:{each[1].role} {name_of(each[0])}}}}}"
                calls.append(tool_call(each[1].tool, {"ref": ref, **each[1].arguments}))
        with scripted(browser, [*calls, DONE], approve=person) as (agent, _):
            result = await agent.run("Go on", url=url, page=page)
        assert result.success, result.error
        return person.asked

    yield play


@asynccontextmanager
async def by_http(browser: Browser, page: Page) -> AsyncIterator[Play]:
    async with serving(browser) as served:

        async def play(url: str, allows: bool) -> list[str]:
            asked = []
            run_id = await served.begin(steps=steps(url, OF_EACH_KIND), url=url, interactive=True)
            async with aconnect_sse(served.client, "GET", f"/v1/runs/{run_id}/events") as source:
                async for event in source.aiter_sse():
                    if event.event == "approval:asked":
                        ask = json.loads(event.data)["ask"]
                        asked.append(ask["question"])
                        decision = {"id": ask["id"], "decision": "execute" if allows else "skip"}
                        answer = await served.client.post(f"/v1/runs/{run_id}/decisions", json=decision)
                        assert answer.status_code == 200
            assert (await served.info(run_id))["status"] == "succeeded"
            return asked

        yield play


@asynccontextmanager
async def by_mcp(browser: Browser, page: Page) -> AsyncIterator[Play]:
    person = Person(allows=False)

    async def answer(context: object, params: Any) -> types.ElicitResult:
        person.asked.append(params.message)
        return types.ElicitResult(action="accept" if person.allows else "decline")

    session = Session(browser, page=page)
    served = mcp_serving.server(session, approve=Rules())
    async with mcp.Client(served, elicitation_callback=answer) as client:

        async def call(name: str, arguments: dict[str, Any]) -> str:
            content = (await client.call_tool(name, arguments)).content[0]
            assert isinstance(content, types.TextContent)
            return content.text

        async def play(url: str, allows: bool) -> list[str]:
            person.asked, person.allows = [], allows
            await call("goto", {"url": url})
            for each in in_order(url):
                if isinstance(each, str):
                    await (call("wait_for", {"text": LATE}) if each == LATE else call("goto", {"url": url}))
                    continue
                lines = (await call("snapshot", {})).splitlines()
                line = next(line for line in lines if f'"{name_of(each[0])}"' in line)
                ref = line.partition("[ref=")[2].partition("]")[0]
                await call(each[1].tool, {"ref": ref, **each[1].arguments})
            return person.asked

        yield play
    await session.close()


_KINDS = ("timer of three seconds", "fetch", "question of the page, and what follows", "popup")
OF_EACH_KIND = [each for each in EFFECTS if each.tool != "click" or each.name in _KINDS]
"""What a face is tried with whose questions come from the steps of another: it has only to carry them."""
FACES = {
    "steps": by_steps,
    "model": by_a_model,
    "http": by_http,
    "mcp": by_mcp,
}


@pytest.mark.parametrize("face", FACES)
async def test_effects_are_asked_about_before_they_reach_a_server(
    face: str, browser: Browser, page: Page, subtests: pytest.Subtests
) -> None:
    effects = OF_EACH_KIND if face == "http" else EFFECTS
    async with running() as web, FACES[face](browser, page) as play:
        url = put(web, effects)
        refused = await play(url, False)
        before = {number: reached(web, number) for number, _ in enumerate(effects, 1)}
        allowed = await play(url, True)

    for number, effect in enumerate(effects, 1):
        with subtests.test(effect.name):
            assert (len([each for each in refused if mark(number) in each]), before[number]) == (1, [])
            assert len([each for each in allowed if mark(number) in each]) == effect.asks
            assert len(reached(web, number)) == 1
    assert (len(refused), len(allowed)) == (len(effects), sum(effect.asks for effect in effects))
