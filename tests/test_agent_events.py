"""What a run tells of itself while it goes on."""

from __future__ import annotations

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.cdp import browser as cdp_browser
from cdp_agent.errors import BlockedByPolicy
from cdp_agent.events import (
    AgentAction,
    AgentObserved,
    AgentReasoned,
    AgentWaiting,
    AiGeneration,
    EndpointConnected,
    EndpointCycle,
    FirewallBlocked,
    TaskMetrics,
    TaskMetricsIncremental,
    TaskSetup,
)
from cdp_agent.page.page import Page
from cdp_agent.tools.base import Arguments, Context, Observation, tool
from fixtures.replay import ReplayServer, reply, tool_call
from tests.agents import DONE, SHOP, of, play, result_of
from tests.conftest import Serve
from tests.detached import DetachedChrome


async def test_a_run_begins_with_what_it_was_given(browser: Browser, page: Page, serve: Serve) -> None:
    events, _ = await play(browser, page, [DONE], url=serve(SHOP), data={"a": 1}, vision=True)

    setup = events[0]
    assert isinstance(setup, TaskSetup)
    assert (setup.browser, setup.vision, setup.has_data) == (browser.version.product, True, True)


async def test_waiting_is_told_before_it_begins_and_metrics_with_each_step(
    browser: Browser, page: Page, subtests: pytest.Subtests
) -> None:
    wait = tool_call("wait", {"seconds": 0.1})

    events, _ = await play(browser, page, [wait, DONE], content=SHOP)

    with subtests.test("waiting is told before it begins"):
        assert [event.seconds for event in of(events, AgentWaiting)] == [0.1]
        kinds = [type(event).__name__ for event in events]
        at = kinds.index("AgentWaiting")
        assert kinds[at - 1 : at + 2] == ["AgentAction", "AgentWaiting", "BrowserActionCompleted"]

    with subtests.test("metrics come with each step and at the end"):
        steps = of(events, TaskMetricsIncremental)
        assert [(each.step, each.stats.steps) for each in steps] == [(1, 1), (2, 2)]
        assert [each.stats.events for each in steps] == [events.index(each) + 1 for each in steps]
        [last] = of(events, TaskMetrics)
        assert last.stats.events == result_of(events).stats.events == len(events)

    with subtests.test("it is told how much of the page is shown"):
        [seen] = of(events, AgentObserved)
        assert seen.page_chars == len(seen.snapshot) > 50


async def test_what_a_rule_forbids_is_told(browser: Browser, page: Page) -> None:
    @tool()
    async def reach(args: Arguments, context: Context) -> Observation:
        """Reach out."""
        raise BlockedByPolicy("That origin is not allowed.")

    events, _ = await play(browser, page, [tool_call("reach", {}), DONE], content=SHOP, tools=[reach])

    [blocked] = of(events, FirewallBlocked)
    assert (blocked.action, blocked.message) == ("reach", "That origin is not allowed.")


async def test_a_reply_is_told_also_when_its_batch_dies(serve: Serve) -> None:
    @tool()
    async def wreck(args: Arguments, context: Context) -> Observation:
        """Wreck the browser, and fail by a bug."""
        context.browser.session.tell(cdp_browser.Close())
        raise ZeroDivisionError

    calls = reply(("wait", {"seconds": 0}), ("wreck", {}), ("wait", {"seconds": 1}), reasoning="Well.")
    told = []
    async with Browser.launch() as browser:
        with ReplayServer(replies=[calls]) as server:
            agent = Agent(
                browser,
                model="openai-compatible/m",
                base_url=server.base_url,
                tools=[wreck],
                max_actions_per_step=3,
            )
            try:
                async for event in agent.stream("Wreck it", url=serve(SHOP)):
                    told.append(event)
            except ZeroDivisionError:
                pass

    generation = of(told, AiGeneration)[-1]
    assert (generation.actions_requested, generation.actions_executed, generation.batch_truncated_by) == (3, 1, "error")
    assert [each.action for each in of(told, AgentAction)] == ["wait", "wreck"]
    assert [each.reasoning for each in of(told, AgentReasoned)] == ["Well."]


async def test_endpoints_are_told_by_their_numbers(detached: DetachedChrome, serve: Serve) -> None:
    nothing, there = "http://127.0.0.1:9", detached.endpoint
    async with Browser.connect([nothing, there]) as browser:
        page = await browser.new_page()
        events, _ = await play(browser, page, [DONE], url=serve(SHOP))

    [tried], [reached] = of(events, EndpointCycle), of(events, EndpointConnected)
    assert (tried.endpoint_index, tried.total) == (0, 2)
    assert (reached.endpoint_index, reached.total) == (1, 2)
    assert "127.0.0.1" not in tried.error
