"""Which command there is, and what each does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from cdp_agent.cli.caller import CommandCaller
from cdp_agent.cli.parser import Parser, ToolCommand, read_search, read_tool_call
from cdp_agent.cli.session import NONE_RUNS, Sessions, host_of
from cdp_agent.cli.status import DONE
from cdp_agent.cli.subcommands.chrome import ChromeCommand, read_chrome, tell_chrome, tell_none
from cdp_agent.cli.subcommands.open import list_tabs, read_open, read_tabs
from cdp_agent.cli.subcommands.tool import call_tool
from cdp_agent.cli.words import Chosen, split
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.aliases import TYPING, meant, nearest
from cdp_agent.tools.parsing import is_ref

_OWN = {
    "open": "Open a page in a session, which is begun where none runs, and print it.",
    "tabs": "List the tabs of the session.",
    "sessions": "List the sessions that run.",
    "close": "End the session: its tabs, and its Chrome where that is ours.",
    "run": "Carry out a task, in plain words, with a model.",
    "do": "Carry out steps, one a line, in plain words, without a model.",
    "resume": "Go on with what was begun with `run` or `do`, and --checkpoint DIR.",
    "chrome": "start, stop or status: a session whose Chrome listens on a port.",
    "config": "init, list, get, set, unset or path: the settings, of the model before all.",
    "doctor": "Look whether all that a task needs is there, and what to do where not.",
    "web_search": "Search the web, with the `search` that is set: title, address and a few words of each result.",
    "tools": "List the tools that a model can call.",
}
RUNS = ("run", "do", "resume")


class ListTabs(msgspec.Struct, frozen=True):
    loaded: Loaded[Config]


Command = ToolCommand | ListTabs | ChromeCommand
"""What is done in a session."""


def run_here(arguments: Sequence[str], chosen: Chosen) -> int:
    """Runs a command that needs no session's process; its exit status. Raises CdpAgentError."""
    before, name, words = split(arguments)
    if "--version" in before:
        from importlib.metadata import version

        print(f"cdp-agent {version('cdp-agent')}")
        return DONE
    if name == "help" or "--help" in before or "-h" in before or (name is None and not before):
        print(_help())
        return DONE
    if name is None:
        raise SetupError("Which command? See `cdp-agent --help`.")
    if name in RUNS:
        from cdp_agent.cli.runs import read_run  # an agent takes long to import, here and below
        from cdp_agent.cli.subcommands.task import carry_out_run

        return carry_out_run(read_run(arguments, CommandCaller.here()), arguments, chosen)
    local = _local(name, chosen.session)
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
        print("No Chrome of ours was running.")
        return DONE
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
            caller.output.write("Chrome has ended.\n" if was_open else "No Chrome of ours was running.\n")
            return DONE
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
    known = [each.name for each in BUILT_IN.values() if not each.terminal]
    own, fixed = meant(name, {}, [*known, "web_search"])
    if own == "web_search":
        return read_search(words, caller)
    if own not in known:
        near = " or ".join(nearest(name, [*_OWN, *known]))
        raise SetupError(
            f"There is no command {name!r}{f' (did you mean {near}?)' if near else ''}: see `cdp-agent --help`."
        )
    if name in TYPING:
        own, fixed = "fill" if words and is_ref(words[0]) else "type_text", fixed
    return read_tool_call(BUILT_IN[own], words, fixed, caller=caller)


def _local(name: str, session: str) -> Callable[[Sequence[str]], int] | None:
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

        return partial(close_sessions, name=session)
    return _list_tools if name == "tools" else None


def _list_tools(words: Sequence[str]) -> int:

    parser = Parser("tools", _OWN["tools"])
    parser.add_argument("--json", action="store_true", help="with their arguments, as JSON Schema")
    if parser.read(words).json:
        sys.stdout.write(msgspec.json.encode([tool.declaration() for tool in BUILT_IN.values()]).decode() + "\n")
        return 0
    for tool in BUILT_IN.values():
        fields = tool.parameters["properties"]
        print(f"{tool.name}({', '.join(fields)})\n    {tool.description}")
    return 0


def _help() -> str:
    tools = {tool.name: tool.summary for tool in BUILT_IN.values() if not tool.terminal}
    lines = ["usage: cdp-agent COMMAND …      cdp-agent COMMAND --help tells what it takes", ""]
    lines += [f"  {name:<15}{summary}" for name, summary in {**_OWN, **tools}.items()]
    lines += [
        "",
        "  What is open stays open for the commands that follow, in a session: --session NAME (or CDP_AGENT_SESSION)",
        "  names another one than `default`, --once is for one command alone. --cdp ADDRESS names a Chrome that runs",
        "  already (http://host:port, ws://… or auto); without, the session has one of its own. --json prints results",
        "  as JSON. Every option has a variable CDP_AGENT_… and a key in the file of `config path`. In names, - and _",
        "  are the same. Exit status: 0 done, 1 the task or the page said no, 2 a wrong call, 3 no Chrome, 4 the",
        "  model's provider failed.",
    ]
    return "\n".join(lines)
