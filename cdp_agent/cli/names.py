"""The names of commands, in the order in which the help lists them, and their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cdp_agent.cli.flags import takes_value
from cdp_agent.tools import CALLABLE
from cdp_agent.tools.aliases import NAMES, TYPING, Alias, nearest, resolve_alias
from cdp_agent.tools.base import Tool
from cdp_agent.tools.parsing import is_element

OWN: Mapping[str, tuple[str, str]] = {
    "open": ("[URL]", "Open a page in the session, starting one if none is running, and print it."),
    "tabs": ("", "List the session's tabs."),
    "sessions": ("", "List the running sessions."),
    "close": ("[--all] [--leave]", "End the session: close its tabs, and its Chrome if cdp-agent started it."),
    "run": ("TASK", "Have a model carry out a task, given in plain words."),
    "do": ("FILE", "Carry out steps in plain English, one per line, without a model."),
    "batch": ("TASKS", "Carry out many tasks, each a line of JSON, several at a time."),
    "shell": ("", "Type steps, tools and tasks, one after another, in one session."),
    "resume": ("DIR", "Continue a `run` or `do` that was started with --checkpoint DIR."),
    "trace": (
        "html|zip FOLDER [FOLDER]",
        "Turn a run recorded with --trace into an HTML page, or a trace.zip for Playwright.",
    ),
    "chrome": (
        "start|stop|status",
        "Start, stop or check a session whose Chrome listens on a port, for other programs.",
    ),
    "serve": ("", "Serve runs and sessions over HTTP, for other programs."),
    "mcp": ("", "Serve the tools to MCP clients (Model Context Protocol)."),
    "config": ("init|list|get|set|unset|path", "Set up a model, and show or change all settings."),
    "doctor": ("", "Check that everything a task needs is there, and say what to do if not."),
    "web_search": ("QUERY", "Search the web, with the engine set as `search`."),
    "tools": ("", "List the tools that a model can call."),
    "options": ("[GROUP]", "List the options that commands share, such as those for Chrome and pages."),
    "skill": ("", "Print instructions for a model that uses cdp-agent from a shell."),
    "completion": ("bash|zsh|fish", "Print a shell completion script."),
    "help": ("[COMMAND]", "Show the help of a command."),
}
"""The commands that are not tools, each with its arguments and a description."""

SHORT: Mapping[str, str] = {
    "search_page": "search",
    "find_elements": "find",
    "get_html": "html",
    "get_schema": "schema",
    "evaluate": "eval",
    "type_text": "type",
    "read_table": "table",
    "read_records": "records",
    "read_file": "file",
    "read_data": "data",
    "read_console": "console",
    "read_network": "network",
}
"""Tools with a shorter name as a command; the long name works too."""

_CLI_ALIASES: Mapping[str, Alias] = {
    **{short: Alias(tool) for tool, short in SHORT.items()},
    "text": Alias("markdown"),
    "js": Alias("evaluate"),
    "key": Alias("press"),
    "tab": Alias("manage_tabs", {"action": "switch"}),
}
"""Aliases for the command line only; aliases that models can use too are in tools/aliases.py."""

TOOLS: Mapping[str, Tool] = CALLABLE
"""The tools that are commands."""


def shown_name(tool: Tool) -> str:
    """The name of a tool in the help."""
    return SHORT.get(tool.name, tool.name)


def find_tool(name: str, words: Sequence[str]) -> tuple[str, Mapping[str, object]] | None:
    """The tool (or web_search) that a typed name means, and the arguments that the name implies; None for no tool."""
    values = _values(words)
    if name in TYPING:
        return ("fill" if len(values) > 1 and is_element(values[0]) else "type_text"), {}
    if name == "fill" and len(values) > 3 and all(is_element(each) and not _is_number(each) for each in values[::2]):
        return "fill_form", {}
    if name == "wait" and words and "--help" not in words and not (values and all(map(_is_number, values))):
        return "wait_for", {}
    if name in _CLI_ALIASES:
        return _CLI_ALIASES[name].tool, _CLI_ALIASES[name].fixed
    tool, fixed = resolve_alias(name, {}, [*TOOLS, "web_search"])
    return (tool, fixed) if tool in TOOLS or tool == "web_search" else None


def suggestions(name: str) -> list[str]:
    """The commands with the names most similar to an unknown one, the nearest first."""
    names = nearest(name, dict.fromkeys((*OWN, *map(shown_name, TOOLS.values()), *_CLI_ALIASES))) or nearest(
        name, NAMES
    )
    return sorted(names, key=lambda each: abs(len(each) - len(name)))


def _values(words: Sequence[str]) -> list[str]:
    """The words that are no options, nor the values of options that all commands share."""
    values, rest = list[str](), iter(words)
    for word in rest:
        if word == "--":
            return [*values, *rest]
        if not word.startswith("--"):
            values.append(word)
        elif "=" not in word and takes_value(word):
            next(rest, None)
    return values


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()
