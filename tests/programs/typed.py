# pyright: strict
"""A program that uses all that is public: type checkers must infer what is asserted here, and find nothing wrong."""

import asyncio
from collections.abc import Mapping
from typing import Any, assert_type

import msgspec

from cdp_agent import (
    Agent,
    AgentResult,
    Arguments,
    Browser,
    Config,
    Context,
    Event,
    Limits,
    Observation,
    Page,
    Patience,
    Proxy,
    Receipt,
    Rule,
    Rules,
    Secret,
    Snapshot,
    Totp,
    Viewport,
    sync,
    tool,
)
from cdp_agent.config import agent_keywords
from cdp_agent.decisions import Approve, Ask, Decision, PlanProposed, Stop
from cdp_agent.errors import ActionError, BlockedByPolicy, SetupError, StaleRef
from cdp_agent.events import AgentAction, TaskCompleted


class Flight(msgspec.Struct):
    to: str
    price: float


class WeighArguments(Arguments, frozen=True):
    what: str


@tool(read_only=True)
async def weigh(args: WeighArguments, context: Context) -> Observation:
    """Weighs something."""
    return Observation(f"{args.what} on {context.page.url}: 1 kg")


async def decide(ask: Ask) -> Decision:
    return Approve() if isinstance(ask, PlanProposed) and len(ask.steps) < 9 else Stop("Not without me.")


def show(event: Event) -> None:
    if isinstance(event, AgentAction):
        print(event.action, event.arguments)


async def look(page: Page) -> Receipt:
    snapshot = assert_type(await page.snapshot(budget_tokens=5_000), Snapshot)
    ref = next(ref for ref, each in snapshot.refs.items() if each.role == "link")
    found = await page.find("a.nav", attributes=["href"], max_results=5)
    print([each.attributes["href"] for each in found.elements], (await page.search("log ?out", regex=True)).total)
    try:
        receipt = await page.click(ref, button="left", position=(1, 2))
    except StaleRef as error:
        print(error.ref)
        receipt = await page.reload()
    except (BlockedByPolicy, ActionError) as error:
        receipt = await page.goto("https://example.com", timeout_s=5) if str(error) else await page.back()
    print(receipt.text, [tab.url for tab in receipt.new_tabs], [each.kind for each in receipt.dialogs])
    assert_type(page.popups, list[Page])
    assert_type(await page.screenshot(full_page=True), bytes)
    return receipt


async def work(browser: Browser, schema: Mapping[str, Any]) -> list[Flight]:
    agent = Agent(
        browser,
        model="openai/gpt-6-luna",
        limits=Limits(max_steps=9, max_cost=0.5),
        secrets={"user": "anna", "password": Secret("…", origins=["https://shop.example"]), "code": Totp("JBSWY3DP")},
        allow=["shop.example"],
        patience=Patience(),
        tools=[weigh],
    )
    assert_type(await agent.run("What is it called?"), AgentResult[str])
    assert_type(await agent.run("Find flights.", answer=schema, url="https://shop.example"), AgentResult[Any])
    result = await agent.run("Find flights.", answer=list[Flight], data={"to": "Bergen"}, on_event=show)
    assert_type(result, AgentResult[list[Flight]])
    assert_type(result.answer, list[Flight] | None)
    async for event in agent.stream("Find a flight.", answer=Flight):
        if isinstance(event, TaskCompleted):
            assert_type(event.result.answer, Flight | None)
    assert_type(await agent.do(["Press Enter"]), AgentResult[str])
    if result.error is not None:
        print(result.error.code, result.error.message, result.stats.cost)
    return result.answer or []


async def main() -> None:
    rules = Rules((Rule("allow", risk="submits", origin="shop.example"),))
    try:
        async with Browser.launch(
            viewport=Viewport(390, 844, mobile=True), proxy=Proxy("proxy.example:3128"), locale="de-DE"
        ) as browser:
            await look(await browser.new_page("https://example.com"))
            print(await work(browser, {"type": "object"}), browser.attempts, browser.version.product)
            planned = Agent(browser, planner="openai/gpt-6-luna", executor="ollama/llama3.1:8b", approve=decide)
            await planned.run("Buy a mug.")
            await Agent(browser, **agent_keywords(Config.load()), approve=rules).do(["Click Buy"])
    except SetupError as error:
        print(error)


def blocking(stop: sync.StopSignal) -> list[Flight] | None:
    with sync.Browser.launch(headless=True) as browser:
        page = browser.new_page("https://example.com")
        assert_type(page, sync.Page)
        print(page.click("E3").text, browser.pages)
        agent = sync.Agent(browser, model="openai/gpt-6-luna", approve=None)
        for event in agent.stream("Find flights.", answer=list[Flight], page=page):
            if isinstance(event, TaskCompleted):
                assert_type(event.result, AgentResult[list[Flight]])
        return agent.run("Find flights.", answer=list[Flight], stop=stop).answer


if __name__ == "__main__":
    asyncio.run(main())
