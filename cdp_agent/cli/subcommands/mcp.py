"""`cdp-agent mcp`: the tools for models of other programs, over the Model Context Protocol."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import msgspec

from cdp_agent.cli.argument_parser import Parser, port_number
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_APPROVAL, FOR_CHROME, FOR_DEBUGGING, FOR_MODEL, add_settings, loaded
from cdp_agent.cli.session import Sessions, host_of
from cdp_agent.cli.status import DONE
from cdp_agent.cli.subcommands.sessions import CALLS
from cdp_agent.cli.terminal.log import logged
from cdp_agent.cli.words import HOST, ChosenSession
from cdp_agent.config import Config, endpoint_of
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import BrowserError, CdpAgentError, SetupError
from cdp_agent.extras import missing_extra
from cdp_agent.mcp.calls import (
    Allowance,
    CallReply,
    CallRequest,
    FilesRequest,
    SessionFile,
    ToolCalls,
    files_of,
    perform_call,
)
from cdp_agent.mcp.hosted import HostedCalls, too_many_sessions
from cdp_agent.security.http_guard import hosts_of
from cdp_agent.session import client, runtime
from cdp_agent.session.calls import ToolError
from cdp_agent.session.client import HostConnection
from cdp_agent.session.host import ClientOutput
from cdp_agent.session.leaving import unless
from cdp_agent.session.memory import give_memory_back
from cdp_agent.session.messages import CallAnswered, CallAsked, CallCancelled
from cdp_agent.steps.approval.policy import rules_from
from cdp_agent.trace.options import check_folder

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from cdp_agent.providers.client import Client

_SHOWN = ("approve",)
_LOOKS_EVERY_S = 30.0
_REQUEST = msgspec.json.Decoder(CallRequest | FilesRequest)
_log = logging.getLogger(__name__)


class McpCommand(msgspec.Struct, frozen=True):
    """The `mcp` command. `http`: where it listens, None for the standard input and output. `stateless`: see McpApp."""

    loaded: Loaded[Config]
    http: tuple[str, int] | None
    stateless: bool

    @property
    def config(self) -> Config:
        return self.loaded.config


def serve_mcp(words: Sequence[str], chosen: ChosenSession) -> int:
    """Serves until the client disconnects, or over HTTP until a signal stops it; returns the exit status.

    Raises SetupError, BrowserError.
    """
    command = read_mcp(words)
    if any(importlib.util.find_spec(each) is None for each in ("mcp", "httptools")):
        raise missing_extra("The MCP server needs more than is installed", "mcp")
    if command.config.trace is not None:
        check_folder(command.config.trace)
    caller = CommandCaller.here()
    with logged(command.config, caller.output):
        give_memory_back()
        asyncio.run(_serve(command, words, chosen, caller))
    return DONE


def read_mcp(words: Sequence[str], caller: CommandCaller | None = None) -> McpCommand:
    """Parses the words after `mcp`. Raises SetupError."""
    parser = Parser(
        "mcp",
        "Serve the tools over the Model Context Protocol, on stdin and stdout: in its own Chrome, or in --session.",
        "%(prog)s [--http [HOST:]PORT] [options]",
        more="",
    )
    parser.add_argument(
        "--http", type=_address, metavar="[HOST:]PORT", help="listen on HTTP instead, for several clients"
    )
    parser.add_argument("--stateless", action="store_true", help="for older clients that several servers share")
    parser.add_argument("--token", metavar="TOKEN", help="what clients must send; or set CDP_AGENT_SERVER_TOKEN")
    own = {*FOR_DEBUGGING, "trace", "upload_folders", "allow_evaluate"}
    own |= {"server_hosts", "server_origins", "max_sessions"}
    add_settings(parser, (FOR_CHROME - {"tab"}) | FOR_MODEL | FOR_APPROVAL | own, shown=_SHOWN)
    args = parser.read(words)
    settings = loaded(args, caller)
    if settings.config.approve == "jsonl":
        raise SetupError("--approve jsonl: here the client's user is asked. Pass --approve ask.")
    if args.token is not None:
        settings = msgspec.structs.replace(
            settings, config=msgspec.structs.replace(settings.config, server_token=args.token)
        )
    return McpCommand(settings, args.http, args.stateless)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host.strip("[]") or "127.0.0.1", port_number(port)


async def _serve(command: McpCommand, words: Sequence[str], chosen: ChosenSession, caller: CommandCaller) -> None:
    from cdp_agent.mcp.serving import INSTRUCTIONS, SHARED, server  # late: the SDK takes 0.6 s to import
    from cdp_agent.mcp.stdio import serve_stdio

    config = command.config
    calls: ToolCalls
    async with AsyncExitStack() as stack:
        if not (chosen.named or command.stateless):
            allowance = await stack.enter_async_context(_allowance(command, caller))
            local = await stack.enter_async_context(_local_calls(command, chosen.session, caller, allowance))
            calls, end = local, local.close
        else:  # other servers and commands may use the sessions, too
            hosted = HostedCalls(chosen.session, partial(_connected, words, config), config.max_sessions)
            stack.push_async_callback(hosted.close)
            calls, end = hosted, hosted.close
        served = server(
            calls,
            has_model=config.model is not None,
            allow_evaluate=config.allow_evaluate,
            instructions=INSTRUCTIONS if command.http is None else INSTRUCTIONS + SHARED,
        )
        if command.http is None:
            await serve_stdio(served)
        else:
            await _serve_http(served, command, end, *command.http)


async def _serve_http(
    served: Server[object], command: McpCommand, end: Callable[[], Awaitable[None]], host: str, port: int
) -> None:
    """Serves until a signal; `end` is called first then, so that calls under way fail and are answered."""
    from cdp_agent.mcp.http import PATH, McpApp  # late: Starlette and uvicorn are an extra
    from cdp_agent.server.serving import HttpServer, address_of, check_token, listening_at

    config = command.config
    check_token(config.server_token, host, f"--http {port}")
    hosts = (*hosts_of(host), *config.server_hosts)
    app = McpApp(
        served,
        token=config.server_token,
        hosts=hosts,
        origins=config.server_origins,
        stateless=command.stateless,
        drain=end,
    )
    with listening_at(host, port) as listener:
        print(f"cdp-agent serves MCP at {address_of(host, listener)}{PATH}", file=sys.stderr, flush=True)
        await HttpServer(app).serve([listener])


def _connected(words: Sequence[str], config: Config, session: str) -> HostConnection:
    """A connection to the host of that session, for tool calls. Raises BrowserError, SetupError."""
    folder, command, host = runtime.folder(), [CALLS, *words], host_of(session, config)
    connection = client.send_command(
        folder, session, command, lambda: client.start_host(folder, session, HOST, command, host)
    )
    if isinstance(connection, int):
        raise BrowserError("The process that was to hold the session has said why it cannot.")
    return connection


async def serve_calls(
    words: Sequence[str], session: str, sessions: Sessions, caller: CommandCaller, output: ClientOutput
) -> NoReturn:
    """Makes tool calls in the session for an MCP server in another process, until it disconnects. Raises SetupError."""
    command = read_mcp(words, caller)
    async with _allowance(command, caller) as allowance:
        await make_calls(LocalCalls(sessions, command.loaded, session, caller, allowance), output)


@asynccontextmanager
async def _allowance(command: McpCommand, caller: CommandCaller) -> AsyncIterator[Allowance]:
    """What the settings allow clients to do. Raises SetupError."""
    config = command.config
    rules = rules_from(config.approval_rules) if config.approve or config.approval_rules else None
    async with _model(config, caller) as model:
        yield Allowance(
            upload_folders=tuple(map(str, config.upload_folders)),
            file_folder=None if config.downloads is None else str(config.downloads),
            elsewhere=command.http is not None,
            rules=rules,
            model=model,
            allow_evaluate=config.allow_evaluate,
        )


@asynccontextmanager
async def _model(config: Config, caller: CommandCaller) -> AsyncIterator[Client | None]:
    if config.model is None:
        yield None
        return
    from cdp_agent.providers.client import Client  # late: httpx takes long to import

    async with Client(endpoint_of(config, caller.environment)) as client:
        yield client


@asynccontextmanager
async def _local_calls(
    command: McpCommand, session: str, caller: CommandCaller, allowance: Allowance
) -> AsyncIterator[LocalCalls]:
    """Tool calls in sessions of this process, which end with the block."""
    calls = LocalCalls(Sessions(), command.loaded, session, caller, allowance)
    closing = asyncio.ensure_future(calls.close_idle())
    try:
        yield calls
    finally:
        closing.cancel()
        await asyncio.wait([closing])
        await calls.close()


class LocalCalls:
    """Tool calls in the sessions of this process. A session is opened by its first call, up to `max_sessions`."""

    def __init__(
        self, sessions: Sessions, settings: Loaded[Config], session: str, caller: CommandCaller, allowance: Allowance
    ) -> None:
        self._sessions = sessions
        self._settings = settings
        self._session = session
        self._caller = caller
        self._allowance = allowance
        self._closing = asyncio.Event()

    async def call(self, request: CallRequest) -> CallReply:
        """See ToolCalls."""
        name, most = self._name(request.session), self._settings.config.max_sessions
        if self._closing.is_set():
            raise BrowserError("The server is about to end.")
        if name not in self._sessions.names and len(self._sessions.names) >= most:
            raise SetupError(too_many_sessions(most))
        async with self._sessions.use(name, self._settings, self._caller) as opened:
            opened.trace(self._settings.config)
            call = perform_call(opened.session, request, self._allowance)
            if (reply := await unless(call, self._closing.wait())) is None:  # its client is to get an answer
                raise BrowserError(
                    "The server is about to end, and gave this up: how much of it was done is not known."
                )
            return reply

    async def files(self, request: FilesRequest) -> list[SessionFile]:
        """See ToolCalls."""
        opened = self._sessions.find(self._name(request.session))
        return [] if opened is None else files_of(opened.session)

    async def close_idle(self) -> None:
        """Closes the sessions that nobody has used for too long, until cancelled."""
        while True:
            await asyncio.sleep(_LOOKS_EVERY_S)
            await self._sessions.close_idle()

    async def close(self) -> None:
        """Gives up the calls under way and closes all sessions; no new ones are opened."""
        self._closing.set()
        await self._sessions.close_all()

    def _name(self, given: str | None) -> str:
        return self._session if given is None else runtime.checked_name(given)


async def make_calls(calls: ToolCalls, output: ClientOutput) -> NoReturn:
    """Makes the tool calls that the client requests, until cancelled; that also cancels the calls in progress."""
    making: dict[int, asyncio.Task[None]] = {}
    try:
        while True:
            match await output.client_messages.get():
                case CallAsked(id=number, request=request):
                    making[number] = asyncio.ensure_future(_reply_to(calls, number, request, output))
                    making[number].add_done_callback(lambda _, number=number: making.pop(number))  # type: ignore[misc]  # the default gives it its type
                case CallCancelled(id=number) if number in making:
                    making[number].cancel()
    finally:
        tasks = list(making.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def _reply_to(calls: ToolCalls, number: int, request: msgspec.Raw, output: ClientOutput) -> None:
    reply: CallReply | list[SessionFile]
    try:
        match _REQUEST.decode(request):
            case CallRequest() as call:
                reply = await calls.call(call)
            case FilesRequest() as asked:
                reply = await calls.files(asked)
    except CdpAgentError as error:
        reply = CallReply(str(error), error=ToolError.of(error))
    except Exception as error:  # noqa: BLE001  # a bug of ours must not leave the caller waiting
        _log.exception("a call failed")
        reply = CallReply(fault := f"A fault of cdp-agent itself: {error!r}.", error=ToolError("Fault", fault))
    output.send(CallAnswered(number, msgspec.Raw(msgspec.json.encode(reply))))
