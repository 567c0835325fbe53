"""A tool as a command."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from cdp_agent.cli.parser import ToolCommand
from cdp_agent.cli.session import Current, chrome, current_tab, leave
from cdp_agent.cli.terminal.log import tell_more
from cdp_agent.cli.terminal.text import for_terminal
from cdp_agent.config import endpoint_of
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.session.tabs import Tabs
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import Context, Observation, facts

if TYPE_CHECKING:
    from cdp_agent.providers.client import Client


async def call_tool(call: ToolCommand) -> int:
    """Calls it on the current tab and prints what came of it. Raises CdpAgentError."""
    tell_more(call.config)
    address = _address(call.url) if call.url is not None else None
    async with chrome(call.config, may_launch=call.goes_elsewhere or not call.needs_page) as running:
        current = await current_tab(running, call.config, take_over=call.goes_elsewhere)
        tabs = Tabs(running.browser, current.page)
        try:
            if address is not None:
                await current.page.goto(address)
            async with _model(call) as model:
                context = Context(current.page, running.browser, model, schemes=None)
                outcome = await call.tool.run(call.arguments, context)
            if isinstance(outcome, Observation) and outcome.tab is not None:
                tabs.go_to(outcome.tab)
            moved = await tabs.follow()
        finally:
            running.browser.keep(tabs.page)
            await leave(running, Current(tabs.page, current.ours or tabs.page is not current.page))
    if isinstance(outcome, Observation):
        _print(outcome, moved, as_json=call.config.json)
    return 0


@asynccontextmanager
async def _model(call: ToolCommand) -> AsyncIterator[Client | None]:
    """The model that is configured, for the tools that ask one. Raises SetupError."""
    if not call.tool.needs_model or not call.config.model:
        yield None
        return
    from cdp_agent.providers.client import Client  # httpx takes long to import

    async with Client(endpoint_of(call.config)) as client:
        yield client


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
