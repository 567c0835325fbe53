"""What a provider wants to see again of its own turn gets back to it."""

from __future__ import annotations

from cdp_agent.browser import Browser
from cdp_agent.page.page import Page
from fixtures.replay import tool_call
from tests.agents import DONE, SHOP, play


async def test_a_model_reads_what_it_reasoned_before_it_called_a_tool(browser: Browser, page: Page) -> None:
    waits = tool_call("wait", {"seconds": 0}, reasoning="First I wait.")

    _, server = await play(browser, page, [waits, DONE], content=SHOP)

    said = [message for message in server.turns[1]["messages"] if message["role"] == "assistant"]
    assert [message.get("reasoning_content") for message in said] == ["First I wait."]
