"""Which command there is, and what each does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.names import OWN, TOOLS, suggestions, tool_meant
from cdp_agent.cli.parser import Parser, ToolCommand, read_search, read_tool_call
from cdp_agent.cli.session import NONE_RUNS, Sessions, host_of
from cdp_agent.cli.status import DONE
from cdp_agent.cli.subcommands.chrome import ChromeCommand, read_chrome, tell_chrome, tell_none, tell_stopped
from cdp_agent.cli.subcommands.open import list_tabs, read_open, read_tabs
from cdp_agent.cli.subcommands.tool import call_tool
from cdp_agent.cli.words import RUNS, Chosen, split
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.tools import BUILT_IN


class ListTabs(msgspec.Struct, frozen=True):
    loaded: Loaded[Config]


Command = ToolCommand | ListTabs | ChromeCommand
"""What is done in a session."""


def run_here(arguments: Sequence[str], chosen: Chosen) -> int:
    """Runs a command that needs no session's process; its exit status. Raises CdpAgentError."""
    before, name, words = split(arguments)
    if not {"--version", "-V"}.isdisjoint(before):
        from importlib.metadata import version

        print(f"cdp-agent {version('cdp-agent')}")
        return DONE
    if name == "help" and words:
        return run_here([*words, "--help"], chosen)
    if name == "help" or not {"--help", "-h"}.isdisjoint(before) or (name is None and not before):
        from cdp_agent.cli.subcommands.help import top_help

        print(top_help())
        return DONE
    if name is None:
        raise SetupError("Which command? See `cdp-agent --help`.")
    if name in RUNS:
        from cdp_agent.cli.runs import read_run  # an agent takes long to import, here and below
        from cdp_agent.cli.subcommands.task import carry_out_run

        return carry_out_run(read_run(arguments, CommandCaller.here()), arguments, chosen)
    local = _local(name, chosen)
    if local is None:
        _read(arguments, None)  # for its --help, which ends this
        raise SetupError(f"{name} is no command for here.")
    return local([*before, *words])


def run_once(arguments: Sequence[str]) -> int:
    """Runs a command in a Chrome for it alone, or one that it names; its exit status. Raises CdpAgentError."""

    async def once() -> int:
        sessions = Sessions()
        try:
            return await carry_out(arguments, "once", sessions, CommandCaller.here())
        finally:
            await sessions.close_all()

    return asyncio.run(once())


def host_for(arguments: Sequence[str], session: str) -> str | None:
    """Which process is to be started for the first command of a session; None where there is nothing to start for.

    Raises SetupError for a wrong call, BrowserError for one that makes no sense without a page.
    """
    command = _read(arguments, None)
    if isinstance(command, ChromeCommand) and command.act != "start":
        return None
    if not _may_open(command):
        raise BrowserError(NONE_RUNS)
    return host_of(session, command.loaded.config)


def without_session(arguments: Sequence[str]) -> int:
    """What is told of the Chrome of a session that is not there; the exit status."""
    command = _read(arguments, None)
    assert isinstance(command, ChromeCommand)  # see host_for
    if command.act == "stop":
        return tell_stopped(CommandCaller.here(), was_open=False, as_json=command.loaded.config.json)
    return tell_none(CommandCaller.here(), as_json=command.loaded.config.json)


async def carry_out(arguments: Sequence[str], session: str, sessions: Sessions, caller: CommandCaller) -> int:
    """Carries a command out in a session, which is opened for it where that makes sense; the exit status.

    Raises CdpAgentError.
    """
    command = _read(arguments, caller)
    was_open = sessions.find(session) is not None
    match command:
        case ChromeCommand(act="stop"):
            was_open = await sessions.close(session)
            return tell_stopped(caller, was_open=was_open, as_json=command.loaded.config.json)
        case ChromeCommand(act="status") if not was_open:
            return tell_none(caller, as_json=command.loaded.config.json)
        case ChromeCommand():
            async with sessions.use(session, command.loaded, caller, port=command.port) as opened:
                return await tell_chrome(command, opened, caller, was_open=was_open)
        case ToolCommand():
            async with sessions.use(session, command.loaded, caller, may_open=_may_open(command)) as opened:
                return await call_tool(command, opened, caller)
        case ListTabs():
            async with sessions.use(session, command.loaded, caller, may_open=_may_open(command)) as opened:
                return list_tabs(command.loaded.config, opened, caller)


def _may_open(command: Command) -> bool:
    """Whether it makes sense as the first command of a session."""
    if command.loaded.config.cdp:
        return True
    match command:
        case ToolCommand():
            return command.goes_elsewhere or not command.needs_page
        case ChromeCommand():
            return command.act == "start"
        case ListTabs():
            return False


def _read(arguments: Sequence[str], caller: CommandCaller | None) -> Command:
    """What the words of a command mean that is carried out in a session. Raises SetupError."""
    before, name, words = split(arguments)
    words = [*before, *words]
    assert name is not None  # else it is no command of a session
    if name == "open":
        return read_open(words, caller)
    if name == "tabs":
        return ListTabs(read_tabs(words, caller))
    if name == "chrome":
        return read_chrome(words, caller)
    found = tool_meant(name, words)
    if found is None:
        near = " or ".join(suggestions(name))
        raise SetupError(
            f"There is no command {name!r}{f' (did you mean {near}?)' if near else ''}: see `cdp-agent --help`."
        )
    own, fixed = found
    if own == "web_search":
        return read_search(words, caller)
    return read_tool_call(TOOLS[own], words, fixed, caller=caller)


def _local(name: str, chosen: Chosen) -> Callable[[Sequence[str]], int] | None:
    """What is done by this process itself; each is imported when it is wanted, since together they take long."""
    if name == "config":
        from cdp_agent.cli.subcommands.config import manage_config

        return manage_config
    if name == "doctor":
        from cdp_agent.cli.subcommands.doctor import examine

        return examine
    if name == "sessions":
        from cdp_agent.cli.subcommands.sessions import list_sessions

        return list_sessions
    if name == "close":
        from cdp_agent.cli.subcommands.sessions import close_sessions

        return partial(close_sessions, name=chosen.session)
    if name == "serve":
        from cdp_agent.cli.subcommands.serve import serve

        return serve
    if name == "mcp":
        from cdp_agent.cli.subcommands.mcp import serve_mcp

        return partial(serve_mcp, chosen=chosen)
    if name == "options":
        from cdp_agent.cli.subcommands.help import list_options

        return list_options
    if name == "skill":
        from cdp_agent.cli.subcommands.help import print_skill

        return print_skill
    if name == "completion":
        from cdp_agent.cli.subcommands.completion import print_completion

        return print_completion
    return _list_tools if name == "tools" else None


def _list_tools(words: Sequence[str]) -> int:
    parser = Parser("tools", OWN["tools"][1])
    parser.add_argument("--json", action="store_true", help="with their arguments, as JSON Schema")
    if parser.read(words).json:
        sys.stdout.write(msgspec.json.encode([tool.declaration() for tool in BUILT_IN.values()]).decode() + "\n")
        return DONE
    for tool in BUILT_IN.values():
        fields = tool.parameters["properties"]
        print(f"{tool.name}({', '.join(fields)})\n    {tool.description}")
    return DONE
