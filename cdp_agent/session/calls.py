"""Calls tools. This is the one place that turns an ActionError into a result for the model to read.

Secrets in a tool's result are masked here, before any of it is shortened, stored or compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.action_log import Logged, LogLine
from cdp_agent.errors import ActionError, CdpAgentError, InvalidArguments, SessionClosed
from cdp_agent.providers.base import ToolCall
from cdp_agent.providers.shared.json_reading import read_object
from cdp_agent.security.secrets import Secrets
from cdp_agent.tools.aliases import nearest, resolve_alias, selector_in
from cdp_agent.tools.base import Answer, Arguments, Context, Observation, Tool, facts, shorten_middle

if TYPE_CHECKING:
    from cdp_agent.page.page import Page

_ONLY_FILLED = (
    "Nothing was done: a secret is given to fill or select as the value of a field, and to nothing else, such as an "
    "address, a key or a text to wait for."
)

_MOST_MATCHES = 5
_NO_SECRETS = Secrets()


class ParsedCall(msgspec.Struct, frozen=True):
    """A tool call whose tool exists and whose arguments fit."""

    tool: Tool
    arguments: Arguments

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self.arguments)
        return found


class ToolError(msgspec.Struct, frozen=True):
    """Why a call failed: the name of the exception's class, and a message that says what to do about it."""

    type: str
    message: str

    @staticmethod
    def of(error: CdpAgentError) -> ToolError:
        return ToolError(type(error).__name__, str(error))


class ToolOutcome(msgspec.Struct, frozen=True):
    """The result of a call. `text` is for a model or a person to read; if there is an error, it is the error's message.

    `value` is the same as data, such as a Receipt or a Snapshot, `images` are pictures as PNG, and `duration_ms` is how
    long the call took, without waiting for earlier calls in the same tab. `log` is the log of its action, if it made
    one: it is not in `as_json`, and no model is shown it.
    """

    text: str
    value: msgspec.Struct | None = None
    images: tuple[bytes, ...] = ()
    error: ToolError | None = None
    duration_ms: float = 0.0
    log: tuple[LogLine, ...] = ()

    @staticmethod
    def failed(error: CdpAgentError, duration_ms: float, note: str | None = None) -> ToolOutcome:
        """The outcome of a call that failed; `note` is added to the error's message."""
        text = "\n".join(filter(None, (str(error), note)))
        return ToolOutcome(text, error=ToolError.of(error), duration_ms=duration_ms, log=error.log)

    def as_json(self) -> dict[str, Any]:
        """The outcome as JSON data; `value` includes the properties that it derives from its fields."""
        found: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(self, value=None))
        del found["log"]
        return found | {"value": None if self.value is None else facts(self.value)}


def log_of(value: object) -> tuple[LogLine, ...]:
    """The log of the action that returned this value or raised this error; empty if there is none."""
    return value.log if isinstance(value, Logged | CdpAgentError) else ()


def parse_call(call: ToolCall, tools: Mapping[str, Tool]) -> ParsedCall | ActionError:
    """The tool and the arguments of a model's call, or an error that says what is wrong with it."""
    try:
        name, arguments = resolve_alias(call.name, read_object(call.arguments), tools)
        if name in tools:
            return ParsedCall(tools[name], tools[name].parse(arguments))
        return _for_model(InvalidArguments(_no_such_tool(call.name, tools)))
    except ValueError as error:
        return _for_model(InvalidArguments(f"{call.name}: {error}."))
    except InvalidArguments as error:
        return _for_model(error)


def _no_such_tool(name: str, tools: Mapping[str, Tool]) -> str:
    """The message, with only the nearest names: the model was given all of them with its request."""
    near = ", ".join(nearest(name, tools))
    return f"There is no tool {name!r}. {f'The nearest: {near}.' if near else 'Call one of those that you were given.'}"


async def parse_call_on(page: Page, call: ToolCall, tools: Mapping[str, Tool]) -> ParsedCall | ActionError:
    """Like `parse_call`, but in place of a ref accepts a CSS selector that matches exactly one element now."""
    try:
        given = await _with_ref(page, call, tools)
    except ValueError:
        return parse_call(call, tools)  # which says what is wrong with the arguments
    except ActionError as error:
        return _for_model(error)
    if given is None:
        return parse_call(call, tools)
    return parse_call(ToolCall(call.id, call.name, msgspec.json.encode(given).decode()), tools)


async def _with_ref(page: Page, call: ToolCall, tools: Mapping[str, Tool]) -> dict[str, Any] | None:
    name, given = resolve_alias(call.name, read_object(call.arguments), tools)
    parameters = tools[name].parameters["properties"] if name in tools else {}
    key = selector_in(given)
    if key is None or "ref" not in parameters or "selector" in parameters or "ref" in given:
        return None
    selector = given.pop(key).strip()
    rest = {each: value for each, value in read_object(call.arguments).items() if each != key}
    found = await page.find(selector, max_results=_MOST_MATCHES, include_text=False) if selector else None
    if found is None:
        return rest
    if found.total != 1:
        shown = ", ".join(f"{each.tag} [ref={each.ref}]" for each in found.elements)
        hint = f": {shown}{', …' if found.total > len(found.elements) else ''}. Give one of these refs" if shown else ""
        raise InvalidArguments(f"{name}: {selector!r} matches {found.total} elements, not one{hint}.")
    return {"ref": found.elements[0].ref} | rest


async def perform(understood: ParsedCall, context: Context) -> Observation | Answer | ActionError:
    """Calls the tool and returns its result, or the ActionError.

    Raises BrowserError and ProtocolError, which end the task.
    """
    tool, secrets = understood.tool, context.secrets
    try:
        if secrets and not (tool.takes_secrets or tool.read_only) and secrets.named_in(str(understood.as_json())):
            raise InvalidArguments(_ONLY_FILLED)
        outcome = await tool.run(understood.arguments, context)
    except ActionError as error:
        return _for_model(error, secrets)
    except SessionClosed:
        # The action itself may have closed the tab or moved it to another process: the model looks again, and goes on.
        return ActionError("The tab or frame went away during the action. Look at the page as it is now.")
    if isinstance(outcome, Observation):
        notices = secrets.masked(outcome.notices)
        return msgspec.structs.replace(outcome, text=secrets.mask(outcome.text), notices=notices)
    return secrets.masked(outcome)


def _for_model(error: ActionError, secrets: Secrets = _NO_SECRETS) -> ActionError:
    """The error with its message shortened to a length fit for a model, and with its secrets masked."""
    error.log = secrets.masked(error.log)
    error.args = (shorten_middle(secrets.mask(str(error))),)
    return error
