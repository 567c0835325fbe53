"""The commands that run in a session."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.flags import FOR_CHROME, FOR_DEBUGGING, add_settings, loaded
from cdp_agent.cli.names import TOOLS, find_tool, suggestions
from cdp_agent.cli.parser import ToolCommand, read_search, read_tool_call
from cdp_agent.cli.prelaunch import read_settings
from cdp_agent.cli.session import NONE_RUNS, OpenSession, Sessions, host_of
from cdp_agent.cli.status import DONE
from cdp_agent.cli.subcommands.chrome import ChromeCommand, read_chrome, report_chrome, report_no_chrome, report_stopped
from cdp_agent.cli.subcommands.tool import PAGE_TOKENS, call_tool
from cdp_agent.cli.terminal.log import logged
from cdp_agent.cli.terminal.text import one_line
from cdp_agent.cli.words import split
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.page.page import tab_of
from cdp_agent.security.fence import all_inert, inert
from cdp_agent.session.calls import Call
from cdp_agent.tools.reading import SnapshotArguments

_LONGEST_TITLE = 80


class OpenTab(msgspec.Struct, frozen=True):
    """A tab of the session's Chrome. `ours`: the session opened it, and closes it when it ends."""

    id: str
    title: str
    url: str
    current: bool
    ours: bool
    asks: str = ""
    """What the dialog that is open in it asks; "" without one."""


def read_tabs(words: Sequence[str], caller: CommandCaller | None = None) -> Loaded[Config]:
    """Parses the words after `tabs`. Raises SetupError."""
    parser = Parser("tabs", "List the tabs of the session's Chrome, with the ids that --tab takes.", more="")
    add_settings(parser, FOR_CHROME | FOR_DEBUGGING | {"json"})
    return loaded(parser.read(words), caller)


async def list_tabs(config: Config, opened: OpenSession, caller: CommandCaller) -> int:
    """Prints the tabs, in the order in which they were opened."""
    session = opened.session
    browser = session.browser
    await browser.renew_titles()
    tabs = [
        OpenTab(
            f"t{page.number}",
            page.title[:_LONGEST_TITLE],
            page.url,
            page is session.page,
            browser.is_ours or browser.opened(page),
            "" if (dialog := tab_of(page).dialogs.open) is None else dialog.asks,
        )
        for page in browser.pages
    ]
    if config.json:
        caller.output.write(msgspec.json.encode(all_inert(tabs)).decode() + "\n")
        return DONE
    for tab in tabs:
        notes = ("current" if tab.current else "", "" if tab.ours else "not of this session", tab.asks)
        signs = ", ".join(filter(None, notes))
        caller.output.write(inert(one_line(f"{tab.id} {tab.title!r} {tab.url}{f' ({signs})' if signs else ''}")) + "\n")
    return DONE


def read_open(words: Sequence[str], caller: CommandCaller | None = None) -> ToolCommand:
    """Parses the words after `open`, into a `snapshot` of the page at an address, or of the open page.

    With an address and --no-page, into a `goto` instead. Raises SetupError.
    """
    args, settings = read_settings(words, caller)
    tab = settings.config.tab
    if args.no_page and args.url is not None:
        goto = TOOLS["goto"]
        return ToolCommand(Call(goto, goto.parse({"url": args.url}), tab=tab), settings)
    call = Call(TOOLS["snapshot"], SnapshotArguments(PAGE_TOKENS), tab=tab, url=args.url)
    return ToolCommand(call, settings, needs_page=False)


class ListTabs(msgspec.Struct, frozen=True):
    loaded: Loaded[Config]


Command = ToolCommand | ListTabs | ChromeCommand
"""A command that runs in a session."""


def run_once(arguments: Sequence[str]) -> int:
    """Runs a command in a new Chrome, or in the one that `cdp` names; returns the exit status. Raises CdpAgentError."""

    async def once() -> int:
        sessions = Sessions()
        try:
            return await carry_out(arguments, "once", sessions, CommandCaller.here())
        finally:
            await sessions.close_all()

    return asyncio.run(once())


def host_for(arguments: Sequence[str], session: str, caller: CommandCaller) -> str | int:
    """The name of the host for the first command of a session, or an exit status if the command needs no host.

    Raises SetupError for wrong usage, BrowserError for a command that needs a running session.
    """
    command = read(arguments, caller)
    as_json = command.loaded.config.json
    match command:
        case ChromeCommand(act="stop"):
            return report_stopped(caller, was_open=False, as_json=as_json)
        case ChromeCommand(act="status"):
            return report_no_chrome(caller, as_json=as_json)
    if not _may_open(command):
        raise BrowserError(NONE_RUNS)
    return host_of(session, command.loaded.config)


async def carry_out(arguments: Sequence[str], session: str, sessions: Sessions, caller: CommandCaller) -> int:
    """Runs a command in a session, which it opens if the command may open one; returns the exit status.

    Raises CdpAgentError.
    """
    command = read(arguments, caller)
    with logged(command.loaded.config, caller.output):
        return await _carry_out(command, session, sessions, caller)


async def _carry_out(command: Command, session: str, sessions: Sessions, caller: CommandCaller) -> int:
    was_open = sessions.find(session) is not None
    match command:
        case ChromeCommand(act="stop"):
            was_open = await sessions.close(session, leave=False)
            return report_stopped(caller, was_open=was_open, as_json=command.loaded.config.json)
        case ChromeCommand(act="status") if not was_open:
            return report_no_chrome(caller, as_json=command.loaded.config.json)
        case ChromeCommand():
            async with sessions.use(session, command.loaded, caller, port=command.port) as opened:
                return await report_chrome(command, opened, caller, was_open=was_open)
        case ToolCommand():
            async with sessions.use(session, command.loaded, caller, may_open=_may_open(command)) as opened:
                return await call_tool(command, opened, caller)
        case ListTabs():
            async with sessions.use(session, command.loaded, caller, may_open=_may_open(command)) as opened:
                return await list_tabs(command.loaded.config, opened, caller)


def _may_open(command: Command) -> bool:
    """Whether the command may open a session."""
    if command.loaded.config.cdp:
        return True
    match command:
        case ToolCommand():
            return command.goes_elsewhere or not command.needs_page
        case ChromeCommand():
            return command.act == "start"
        case ListTabs():
            return False


def read(arguments: Sequence[str], caller: CommandCaller | None) -> Command:
    """Parses the words of a command that runs in a session. Raises SetupError."""
    before, name, words = split(arguments)
    words = [*before, *words]
    assert name is not None  # a command of a session has a name
    if name == "open":
        return read_open(words, caller)
    if name == "tabs":
        return ListTabs(read_tabs(words, caller))
    if name == "chrome":
        return read_chrome(words, caller)
    tool = find_tool(name, words)
    if tool is None:
        near = " or ".join(suggestions(name))
        raise SetupError(
            f"There is no command {name!r}{f' (did you mean {near}?)' if near else ''}: see `cdp-agent --help`."
        )
    own, fixed = tool
    if own == "web_search":
        return read_search(words, caller)
    return read_tool_call(TOOLS[own], words, fixed, caller=caller)
