"""A tool as a command."""

from __future__ import annotations

import sys

import msgspec

from cdp_agent.agent.tabs import Tabs
from cdp_agent.cli.parser import ToolCall
from cdp_agent.cli.session import Current, chrome, current_tab, leave
from cdp_agent.cli.text import for_terminal
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import Context, Observation, facts


async def call_tool(call: ToolCall) -> int:
    """Calls it on the current tab and prints what came of it. Raises CdpAgentError."""
    goes_elsewhere = call.url is not None or "url" in call.tool.parameters["required"]
    address = _address(call.url) if call.url is not None else None
    async with chrome(call.cdp, may_launch=goes_elsewhere) as running:
        current = await current_tab(running, take_over=goes_elsewhere)
        tabs = Tabs(running.browser, current.page)
        try:
            if address is not None:
                await current.page.goto(address)
            outcome = await call.tool.run(call.arguments, Context(current.page, running.browser))
            moved = await tabs.follow()
        finally:
            running.browser.keep(tabs.page)
            await leave(running, Current(tabs.page, current.ours or tabs.page is not current.page))
    if isinstance(outcome, Observation):
        _print(outcome, moved, as_json=call.as_json)
    return 0


def _address(text: str) -> str:
    try:
        return complete_address(text)
    except InvalidArguments as error:
        raise SetupError(str(error)) from error


def _print(observation: Observation, moved: str | None, *, as_json: bool) -> None:
    if as_json:
        value = facts(observation.value) if observation.value is not None else {"text": observation.text}
        sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
        return
    print(for_terminal(observation.text))
    if moved:
        print(moved)
