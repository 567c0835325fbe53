"""Which command there is, and what each does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from cdp_agent.errors import SetupError

if TYPE_CHECKING:
    from cdp_agent.tools.base import Tool

_OWN = {
    "run": "Carry out a task, in plain words, with a model.",
    "do": "Carry out steps, one a line, in plain words, without a model.",
    "resume": "Go on with what was begun with `run` or `do`, and --checkpoint DIR.",
    "chrome": "start, stop or status: a Chrome that stays between commands.",
    "config": "init, list, get, set, unset or path: the settings, of the model before all.",
    "doctor": "Look whether all that a task needs is there, and what to do where not.",
    "web_search": "Search the web, with the `search` that is set: title, address and a few words of each result.",
    "tools": "List the tools that a model can call.",
}


def run(arguments: Sequence[str]) -> int:
    """Runs the command; its exit status. Raises CdpAgentError, whose class decides the status."""
    before, name, words = _split(arguments)
    if "--version" in before:
        from importlib.metadata import version

        print(f"cdp-agent {version('cdp-agent')}")
        return 0
    if name == "help" or "--help" in before or "-h" in before or (name is None and not before):
        print(_help())
        return 0
    if name is None:
        raise SetupError("Which command? See `cdp-agent --help`.")
    command = _command(name)
    return command([*before, *words])


def _split(arguments: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """The options before the command, the command, and what follows it."""
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if arguments[place] == "--cdp" else 1
    name = arguments[place].replace("-", "_") if place < len(arguments) else None
    return list(arguments[:place]), name, list(arguments[place + 1 :])


def _command(name: str) -> Callable[[Sequence[str]], int]:
    if name == "run":
        from cdp_agent.cli.subcommands.task import run_task

        return run_task
    if name == "do":
        from cdp_agent.cli.subcommands.steps import do_steps

        return do_steps
    if name == "resume":
        from cdp_agent.cli.subcommands.task import resume_task

        return resume_task
    if name == "chrome":
        from cdp_agent.cli.subcommands.chrome import manage_chrome

        return manage_chrome
    if name == "config":
        from cdp_agent.cli.subcommands.config import manage_config

        return manage_config
    if name == "doctor":
        from cdp_agent.cli.subcommands.doctor import examine

        return examine
    if name == "tools":
        return _list_tools
    from cdp_agent.tools import BUILT_IN
    from cdp_agent.tools.aliases import TYPING, meant, nearest

    known = [each.name for each in BUILT_IN.values() if not each.terminal]
    own, fixed = meant(name, {}, [*known, "web_search"])
    if own == "web_search":
        return _search
    if own not in known:
        near = " or ".join(nearest(name, [*_OWN, *known]))
        raise SetupError(
            f"There is no command {name!r}{f' (did you mean {near}?)' if near else ''}: see `cdp-agent --help`."
        )
    if name in TYPING:
        from cdp_agent.tools.parsing import is_ref

        return lambda words: _call_tool(BUILT_IN["fill" if words and is_ref(words[0]) else "type_text"], words, fixed)
    return lambda words: _call_tool(BUILT_IN[own], words, fixed)


def _search(words: Sequence[str]) -> int:
    from cdp_agent.cli.parser import read_search

    call = read_search(words)

    from cdp_agent.cli.subcommands.tool import call_tool

    return asyncio.run(call_tool(call))


def _call_tool(tool: Tool, words: Sequence[str], fixed: dict[str, Any]) -> int:
    from cdp_agent.cli.parser import read_tool_call

    call = read_tool_call(tool, words, fixed)  # a wrong call is told before anything of Chrome is imported

    from cdp_agent.cli.subcommands.tool import call_tool

    return asyncio.run(call_tool(call))


def _list_tools(words: Sequence[str]) -> int:
    from cdp_agent.cli.parser import Parser
    from cdp_agent.tools import BUILT_IN

    parser = Parser("tools", _OWN["tools"])
    parser.add_argument("--json", action="store_true", help="with their arguments, as JSON Schema")
    if parser.read(words).json:
        import msgspec

        sys.stdout.write(msgspec.json.encode([tool.declaration() for tool in BUILT_IN.values()]).decode() + "\n")
        return 0
    for tool in BUILT_IN.values():
        fields = tool.parameters["properties"]
        print(f"{tool.name}({', '.join(fields)})\n    {tool.description}")
    return 0


def _help() -> str:
    from cdp_agent.tools import BUILT_IN

    tools = {tool.name: tool.summary for tool in BUILT_IN.values() if not tool.terminal}
    lines = ["usage: cdp-agent COMMAND …      cdp-agent COMMAND --help tells what it takes", ""]
    lines += [f"  {name:<15}{summary}" for name, summary in {**_OWN, **tools}.items()]
    lines += [
        "",
        "  --cdp ADDRESS names a Chrome that runs (http://host:port or ws://…). Without, it is that of `chrome start`;",
        "  without that, one is launched for the command. --json prints results as JSON. Every option has a variable",
        "  CDP_AGENT_… and a key in the file of `config path`. In names, - and _ are the same. Exit status: 0 done,",
        "  1 the task or the page said no, 2 a wrong call, 3 no Chrome, 4 the model's provider failed.",
    ]
    return "\n".join(lines)
