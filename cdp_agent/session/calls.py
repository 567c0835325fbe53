"""Tool calls: read once, where they arrive, and made. Here an ActionError becomes a result for the model to read.

Secrets in a tool's result are masked here, before any of it is shortened, stored or compared.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.action_log import Logged, LogLine
from cdp_agent.decisions import AskUser
from cdp_agent.errors import ActionError, CdpAgentError, InvalidArguments, SessionClosed
from cdp_agent.page.locators.grammar import parse
from cdp_agent.page.locators.query import Find
from cdp_agent.page.locators.target import ref_of
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.holding import Act
from cdp_agent.page.query.passed import came_and_went
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.providers.base import ToolCall
from cdp_agent.providers.shared.json_reading import is_too_deep, read_object
from cdp_agent.security.secrets import Secrets, used_in_call
from cdp_agent.tools.aliases import nearest, resolve_alias, selector_in
from cdp_agent.tools.base import Answer, Arguments, Context, Observation, Tool, facts, shorten_middle
from cdp_agent.tools.parsing import is_ref

if TYPE_CHECKING:
    from cdp_agent.providers.client import Client

_ONLY_FILLED = (
    "Nothing was done: a secret is given to fill or select as the value of a field, and to nothing else, such as an "
    "address, a key or a text to wait for."
)

_UPLOAD = re.compile(
    r"((?:a file chooser|cannot be filled in).*: )"
    r"(?:give it files with upload( E\d+)?|bring it back, and upload to it instead of clicking it)"
)
_NO_SECRETS = Secrets()


class Permissions(msgspec.Struct, frozen=True):
    """What a caller may do.

    `secrets` are the values of placeholders. `upload_folders` are the folders that files may be uploaded from, and
    `schemes` the schemes of addresses that may be opened in addition to those in `allow`; None: no restriction, since
    the caller chooses them. `approve` is called before each call; with `begin_act`, effects of acts are held until they
    are allowed. `ask_user` answers for the user, and without it the tools that ask are not offered.
    """

    secrets: Secrets = msgspec.field(default_factory=Secrets)
    upload_folders: tuple[str, ...] | None = None
    schemes: frozenset[str] | None = None
    approve: Approve | None = None
    ask_user: AskUser | None = None
    begin_act: BeginAct | None = None


class Call(msgspec.Struct, frozen=True):
    """A tool call whose tool exists and whose arguments fit, and how and where it is to be made.

    `source` is the JSON of the arguments that it was parsed from; None for a call that was put together by a program of
    ours, such as a command, since what a person types is not recorded for models to read. Locators stand in place of
    refs until `located` has found the elements. `tab` is another tab than the current one, see `Session.call`; `url` is
    opened first. `model` is for tools that ask one. Relative paths start at `folder`. `permissions` replace those of
    the session, `dialogs` its way to answer dialogs.
    """

    tool: Tool
    arguments: Arguments
    source: str | None = None
    tab: str | None = None
    url: str | None = None
    model: Client | None = None
    folder: str | None = None
    permissions: Permissions | None = None
    dialogs: DialogPolicy | None = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "tool", self.tool.with_arguments(self.arguments))

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def refs(self) -> list[str]:
        """The refs of elements that the arguments name, or the locators that stand in their place."""
        return self.tool.refs_in(self.arguments)

    def as_json(self) -> dict[str, Any]:
        """The arguments as JSON data."""
        arguments: dict[str, Any] = msgspec.to_builtins(self.arguments)
        return arguments


class InvalidCall(msgspec.Struct, frozen=True):
    """A call that cannot be made, and why; `source` as in Call. `is_unknown`: there is no tool of that name."""

    name: str
    source: str
    error: ActionError
    is_unknown: bool = False


Approve = Callable[[Call, Page], Awaitable[str | None]]
"""Called before each tool call: returns why the call must not be made, or None to allow it."""
BeginAct = Callable[[Call, Page], Awaitable[Act]]
"""Called before each call that acts: returns the act that is asked about its effects. Raises ActionError to refuse."""


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
    one: it is not in `as_json`, and no model is shown it. `meanwhile` is as in Observation.
    """

    text: str
    value: msgspec.Struct | None = None
    images: tuple[bytes, ...] = ()
    error: ToolError | None = None
    duration_ms: float = 0.0
    log: tuple[LogLine, ...] = ()
    meanwhile: tuple[str, ...] = ()

    @staticmethod
    def failed(error: CdpAgentError, duration_ms: float, note: str | None = None) -> ToolOutcome:
        """The outcome of a call that failed; `note` is added to the error's message."""
        text = "\n".join(filter(None, (str(error), note)))
        return ToolOutcome(text, error=ToolError.of(error), duration_ms=duration_ms, log=error.log)

    def as_json(self) -> dict[str, Any]:
        """The outcome as JSON data; `value` includes the properties that it derives from its fields."""
        outcome: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(self, value=None))
        del outcome["log"]
        return outcome | {"value": None if self.value is None else facts(self.value)}


def log_of(value: object) -> tuple[LogLine, ...]:
    """The log of the action that returned this value or raised this error; empty if there is none."""
    return value.log if isinstance(value, Logged | CdpAgentError) else ()


def parse_call(name: str, arguments: str | Mapping[str, object], tools: Mapping[str, Tool]) -> Call | InvalidCall:
    """The call of a tool by its name, or by one that models use for it; `arguments` are JSON, or the values by name."""
    source = arguments if isinstance(arguments, str) else "{}"
    try:
        if isinstance(arguments, str):
            arguments = read_object(arguments)
        else:
            source = msgspec.json.encode(arguments).decode()
            if is_too_deep(source):
                raise ValueError("nested too deep")
    except ValueError as error:
        return InvalidCall(name, source, _for_model(InvalidArguments(f"{name}: {error}.")))
    tool, arguments = resolve_alias(name, arguments, tools)
    if tool not in tools:
        message = no_such_tool(name, tools, "Call one of those that you were given.")
        return InvalidCall(name, source, _for_model(InvalidArguments(message)), is_unknown=True)
    try:
        return call_of(tools[tool], arguments, source)
    except InvalidArguments as error:
        return InvalidCall(tool, source, _for_model(error))


def call_of(tool: Tool, arguments: Mapping[str, object], source: str | None = None) -> Call:
    """The call; a CSS selector in place of a ref is taken as a locator. Raises InvalidArguments."""
    parameters, arguments = tool.parameters["properties"], dict(arguments)
    key = selector_in(arguments)
    if key is not None and "ref" in parameters and "selector" not in parameters and "ref" not in arguments:
        selector = str(arguments.pop(key)).strip()
        if selector:
            arguments["ref"] = str(Find("css", selector))
    call = Call(tool, tool.parse(arguments), source)
    for element in call.refs:
        if not is_ref(element):
            parse(element)  # what is wrong with it is said before anything else is done
    return call


def no_such_tool(name: str, names: Iterable[str], otherwise: str) -> str:
    """The message for an unknown tool, with only the nearest names, or with `otherwise`."""
    near = ", ".join(nearest(name, names))
    return f"There is no tool {name!r}. {f'The nearest: {near}.' if near else otherwise}"


async def located(call: Call, page: Page) -> Call:
    """The call with the refs of the elements that its locators mean, which are waited for. Raises ActionError."""
    tab = tab_of(page)
    try:
        refs = {element: await ref_of(tab, element) for element in call.refs if not is_ref(element)}
    except ActionError as error:
        _for_model(error)
        raise
    if not refs:
        return call
    arguments = call.as_json()
    arguments |= {name: refs[arguments[name]] for name in call.tool.ref_names if arguments.get(name) in refs}
    if "fields" in arguments:
        arguments["fields"] = [field | {"ref": refs.get(field["ref"], field["ref"])} for field in arguments["fields"]]
    return msgspec.structs.replace(call, arguments=msgspec.convert(arguments, type(call.arguments)))


async def parse_call_on(page: Page, call: ToolCall, tools: Mapping[str, Tool]) -> Call | ActionError:
    """A model's call, with the element that its selector, if any, matches now; or what is wrong with it."""
    parsed = parse_call(call.name, call.arguments, tools)
    try:
        return parsed.error if isinstance(parsed, InvalidCall) else await located(parsed, page)
    except ActionError as error:
        return error


async def perform(call: Call, context: Context) -> Observation | Answer | ActionError:
    """Calls the tool and returns its result, or the ActionError.

    Raises BrowserError and ProtocolError, which end the task.
    """
    tool, secrets = call.tool, context.secrets
    try:
        if secrets and not (tool.takes_secrets or tool.read_only) and secrets.named_in(str(call.as_json())):
            raise InvalidArguments(_ONLY_FILLED)
        with used_in_call(secrets):
            outcome = await tool.run(call.arguments, context)
    except ActionError as error:
        error.args = (_allowed_advice(str(error), context),)
        return _for_model(error, secrets)
    except SessionClosed:
        # The action itself may have closed the tab or moved it to another process: the model looks again, and goes on.
        return ActionError("The tab or frame went away during the action. Look at the page as it is now.")
    if not isinstance(outcome, Observation):
        return secrets.masked(outcome)
    lines: list[str] = []
    if isinstance(outcome.value, Receipt):
        outcome = msgspec.structs.replace(outcome, text=_allowed_advice(outcome.text, context))
    else:
        lines = await came_and_went(context.tab, was_read=isinstance(outcome.value, Snapshot))
    return msgspec.structs.replace(
        outcome,
        text=secrets.mask("\n".join([outcome.text, *lines])),
        notices=secrets.masked(outcome.notices),
        meanwhile=tuple(secrets.masked(lines)),
    )


def _allowed_advice(text: str, context: Context) -> str:
    """The text without advice to upload files where the user allows none."""
    return _UPLOAD.sub(r"\1no file may be uploaded here, so do without", text) if context.upload_folders == () else text


def _for_model(error: ActionError, secrets: Secrets = _NO_SECRETS) -> ActionError:
    """The error with its message shortened to a length fit for a model, and with its secrets masked."""
    error.log = secrets.masked(error.log)
    error.args = (shorten_middle(secrets.mask(str(error))),)
    return error
