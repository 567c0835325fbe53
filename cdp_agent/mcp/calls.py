"""Tool calls, as passed from the server that talks to a client to the process that holds the session."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

import msgspec

from cdp_agent.errors import CdpAgentError
from cdp_agent.mcp.asking import UserAnswers, UserQuestion
from cdp_agent.mcp.held import HeldQuestions
from cdp_agent.security.origins import WEB_AND_DATA
from cdp_agent.session.calls import Call, Permissions, ToolError, no_such_tool, parse_call
from cdp_agent.session.session import Session
from cdp_agent.steps.approval.policy import Rules
from cdp_agent.tools.asking import USER_TOOLS
from cdp_agent.tools.base import Tool, by_name, facts
from cdp_agent.tools.picturing import SavingArguments, why_not_written

if TYPE_CHECKING:
    from cdp_agent.page.page import Page
    from cdp_agent.providers.client import Client

TRACE = "trace.jsonl"
_questions: WeakKeyDictionary[Session, HeldQuestions[CallReply]] = WeakKeyDictionary()


class CallRequest(msgspec.Struct, frozen=True, tag="call"):
    """A call of the tool `name` in a session; None is the server's own session.

    `answers` are the forms that the user filled in for the questions of earlier calls, by their keys, None for declined
    ones; without `can_ask` there is no user to be asked.
    """

    name: str
    arguments: dict[str, Any] = {}
    session: str | None = None
    answers: dict[str, dict[str, Any] | None] = {}
    can_ask: bool = False


class FilesRequest(msgspec.Struct, frozen=True, tag="files"):
    """A request for the files of a session; None is the server's own session."""

    session: str | None = None


class SessionFile(msgspec.Struct, frozen=True):
    """A file of a session: a download is at `path`, the trace is in `text`. `name` is unique in the session."""

    name: str
    path: str | None = None
    text: str | None = None


class CallReply(msgspec.Struct, frozen=True):
    """The result of a call, see ToolOutcome. With `question` the call goes on once the user has answered it.

    `is_unknown`: there is no such tool here, as `text` says.
    """

    text: str
    value: dict[str, Any] | None = None
    images: tuple[bytes, ...] = ()
    error: ToolError | None = None
    question: UserQuestion | None = None
    is_unknown: bool = False


class ToolCalls(Protocol):
    """Makes tool calls. Errors of a call are in its reply."""

    async def call(self, request: CallRequest) -> CallReply:
        """Makes the call; cancelling stops it. Raises BrowserError if no session can be opened, SetupError."""

    async def files(self, asked: FilesRequest) -> list[SessionFile]:
        """The files of the session, [] if it has not begun. Raises BrowserError, SetupError."""


class Allowance(msgspec.Struct, frozen=True):
    """What clients may do with a session.

    They upload files from `upload_folders` only, and open URLs with the schemes of `WEB_AND_DATA` and of the browser's
    `allow`. `rules` determine what needs the user's approval, None: nothing. Tools that call a model are called with
    `model`, without one not at all, and those that run scripts only with `allow_evaluate`. Clients that are `elsewhere`
    (over HTTP) have files written below `file_folder` alone, without one nowhere.
    """

    upload_folders: tuple[str, ...] = ()
    file_folder: str | None = None
    elsewhere: bool = False
    rules: Rules | None = None
    model: Client | None = None
    allow_evaluate: bool = False

    async def refuses_files(self, call: Call, page: Page) -> str | None:
        """See Permissions.approve."""
        return why_not_written(call.name, call.arguments, self.file_folder)


class OneSession:
    """Makes all calls in one session, regardless of the session that they name."""

    def __init__(self, session: Session, allowance: Allowance) -> None:
        self._session = session
        self._allowance = allowance

    async def call(self, request: CallRequest) -> CallReply:
        return await perform_call(self._session, request, self._allowance)

    async def files(self, asked: FilesRequest) -> list[SessionFile]:
        return files_of(self._session)


async def make_call(
    calls: ToolCalls,
    name: str,
    arguments: Mapping[str, object],
    answers: dict[str, dict[str, Any] | None],
    *,
    can_ask: bool,
) -> CallReply:
    """Makes a client's call, in the session that its argument `session` names."""
    arguments = dict(arguments)
    session = arguments.pop("session", None)
    try:
        return await calls.call(
            CallRequest(name, arguments, None if session is None else str(session), answers, can_ask)
        )
    except CdpAgentError as error:
        return CallReply(str(error), error=ToolError.of(error))


async def perform_call(session: Session, request: CallRequest, allowance: Allowance) -> CallReply:
    """Makes the call in the session, or continues it with the answer to a question."""
    if (questions := _questions.get(session)) is None:
        questions = _questions[session] = HeldQuestions(lambda question: CallReply("", question=question))
    if allowance.rules is None:
        return await _perform(session, request, allowance, questions)  # it sets off no question
    return await questions.reply(request, lambda: _perform(session, request, allowance, questions))


async def _perform(
    session: Session, request: CallRequest, allowance: Allowance, questions: HeldQuestions[CallReply]
) -> CallReply:
    user_answers = UserAnswers(
        request.answers, allowance.rules, session.secrets, questions.ask, questions.sites, can_ask=request.can_ask
    )
    permissions = Permissions(
        secrets=session.secrets,
        upload_folders=allowance.upload_folders,
        schemes=WEB_AND_DATA,
        approve=allowance.refuses_files if allowance.elsewhere else None,
        begin_act=user_answers.begin_act if allowance.rules is not None else None,
        ask_user=user_answers.ask_user if request.can_ask else None,
    )
    all_tools = {**session.tools, **(by_name(USER_TOOLS) if request.can_ask else {})}
    tools = callable_tools(all_tools, has_model=allowance.model is not None, allow_evaluate=allowance.allow_evaluate)
    call = parse_call(request.name, request.arguments, tools)
    if isinstance(call, Call):
        is_for_file = allowance.elsewhere and isinstance(call.arguments, SavingArguments)
        folder = allowance.file_folder if is_for_file else None
        call = msgspec.structs.replace(call, model=allowance.model, permissions=permissions, folder=folder)
    elif call.is_unknown:
        return CallReply(_no_such_tool(request.name, tools, all_tools), is_unknown=True)
    outcome = await session.perform(call)
    if user_answers.open is not None:
        return CallReply("", question=user_answers.open)
    value = facts(outcome.value) if outcome.value is not None and isinstance(call, Call) and call.tool.value else None
    return CallReply(outcome.text, value, outcome.images, outcome.error)


def callable_tools(tools: Mapping[str, Tool], *, has_model: bool, allow_evaluate: bool) -> dict[str, Tool]:
    """The tools that a client may call: not those that end a task, or lack a model or the permission for scripts."""
    return {
        name: tool
        for name, tool in tools.items()
        if not tool.terminal and (has_model or not tool.needs_model) and (allow_evaluate or tool.effect != "script")
    }


def _no_such_tool(name: str, tools: Mapping[str, Tool], all_tools: Mapping[str, Tool]) -> str:
    """Why one of `all_tools` is not among `tools`, else the names that are most similar."""
    tool = all_tools.get(name)
    if tool is not None and tool.effect == "script":
        return f"There is no tool {name!r} here: whoever starts the server can allow scripts (--allow-evaluate)."
    if tool is not None and tool.needs_model:
        return f"There is no tool {name!r} here: whoever starts the server can give it a model (--model)."
    return no_such_tool(name, tools, "tools/list has those that there are.")


def files_of(session: Session) -> list[SessionFile]:
    """The session's completed downloads, and a trace of its calls as JSON Lines."""
    files = dict[str, SessionFile]()
    for download in session.browser.downloads.completed:
        if download.path is not None:
            name = os.path.basename(download.path)
            files[name] = SessionFile(name, path=download.path)
    lines = b"".join(msgspec.json.encode(call) + b"\n" for call in session.calls)
    return [*files.values(), *([SessionFile(TRACE, text=lines.decode())] if lines else [])]
