"""Where a tool is called: the one place that turns an ActionError into something for the model to read.

What a tool tells has no secret in it from here on, before anything of it is cut, kept or compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from cdp_agent.errors import ActionError, InvalidArguments, SessionClosed
from cdp_agent.providers.base import ToolCall
from cdp_agent.providers.lenient import read_object
from cdp_agent.tools.aliases import meant
from cdp_agent.tools.base import Answer, Arguments, Context, Observation, Tool

_ONLY_FILLED = (
    "Nothing was done: a secret is given to fill or select as the value of a field, and to nothing else, such as an "
    "address, a key or a text to wait for."
)


class Understood(msgspec.Struct, frozen=True):
    """A tool call whose tool exists and whose arguments fit."""

    tool: Tool
    arguments: Arguments

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self.arguments)
        return found


def understand(call: ToolCall, tools: Mapping[str, Tool]) -> Understood | ActionError:
    """What the model called, or why that is not possible."""
    try:
        name, arguments = meant(call.name, read_object(call.arguments), tools)
        if name in tools:
            return Understood(tools[name], tools[name].parse(arguments))
        return InvalidArguments(f"There is no tool {call.name!r}. Those there are: {', '.join(tools)}.")
    except ValueError as error:
        return InvalidArguments(f"{call.name}: {error}.")
    except InvalidArguments as error:
        return error


async def perform(understood: Understood, context: Context) -> Observation | Answer | ActionError:
    """What came of it. Raises BrowserError and ProtocolError, which end the task."""
    tool, secrets = understood.tool, context.secrets
    try:
        if secrets and not (tool.takes_secrets or tool.read_only) and secrets.named_in(str(understood.as_json())):
            raise InvalidArguments(_ONLY_FILLED)
        outcome = await tool.run(understood.arguments, context)
    except ActionError as error:
        error.args = (secrets.mask(str(error)),)
        return error
    except SessionClosed:
        # The action itself may have closed the tab or moved it to another process: look again, and go on.
        return ActionError("The tab or frame went away during the action. Look at the page as it is now.")
    if isinstance(outcome, Observation):
        notices = secrets.masked(outcome.notices)
        return msgspec.structs.replace(outcome, text=secrets.mask(outcome.text), notices=notices)
    return secrets.masked(outcome)
