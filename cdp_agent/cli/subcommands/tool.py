"""A tool as a command."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from cdp_agent import errors
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.parser import ToolCommand
from cdp_agent.cli.session import OpenSession
from cdp_agent.cli.status import DONE, status_of_class
from cdp_agent.cli.terminal.log import tell_more
from cdp_agent.cli.terminal.text import for_terminal, one_line
from cdp_agent.config import endpoint_of
from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.session.calls import Understood
from cdp_agent.session.session import ToolOutcome
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import facts

if TYPE_CHECKING:
    from cdp_agent.providers.client import Client


async def call_tool(call: ToolCommand, opened: OpenSession, caller: CommandCaller) -> int:
    """Calls it on the current tab of the session and writes what came of it. Raises SetupError for a wrong address."""
    url = _address(call.url) if call.url is not None else None
    with tell_more(call.config, caller.output):
        async with _model(call, caller) as model:
            outcome = await opened.session.perform(
                Understood(call.tool, call.arguments), url=url, tab=call.config.tab, model=model, folder=caller.folder
            )
    if outcome.error is not None:
        caller.output.complain(f"cdp-agent: {one_line(outcome.text)}\n")
        return status_of_class(getattr(errors, outcome.error.type))
    caller.output.write(_told(outcome, as_json=call.config.json))
    return DONE


@asynccontextmanager
async def _model(call: ToolCommand, caller: CommandCaller) -> AsyncIterator[Client | None]:
    """The model that is configured, for the tools that ask one. Raises SetupError."""
    if not call.tool.needs_model or not call.config.model:
        yield None
        return
    from cdp_agent.providers.client import Client  # httpx takes long to import

    async with Client(endpoint_of(call.config, caller.environment)) as client:
        yield client


def _address(text: str) -> str:
    try:
        return complete_address(text)
    except InvalidArguments as error:
        raise SetupError(str(error)) from error


def _told(outcome: ToolOutcome, *, as_json: bool) -> str:
    if as_json:
        value = facts(outcome.value) if outcome.value is not None else {"text": outcome.text}
        return msgspec.json.encode(value).decode() + "\n"
    return for_terminal(outcome.text) + "\n"
